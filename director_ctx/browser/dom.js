// The page as rows of depth, name, attributes and text: without scripts and styles, no longer than was asked for.
(most) => {
  // A form's own fields hide what the form has by the same names, and a page may name its fields anything.
  const getter = (kind, name) => {
    const get = Object.getOwnPropertyDescriptor(kind.prototype, name).get;
    return (one) => get.call(one);
  };
  const tag = getter(Element, 'localName'), attributesOf = getter(Element, 'attributes');
  const shadow = getter(Element, 'shadowRoot');
  const nodes = getter(Node, 'childNodes'), type = getter(Node, 'nodeType');
  const title = getter(Document, 'title')(document), top = getter(Document, 'documentElement')(document);
  const LEFT_OUT = new Set(['script', 'style', 'noscript', 'link', 'meta', 'base', 'object', 'embed']);
  const rows = [];
  let size = 0;
  const put = (row) => { size += JSON.stringify(row).length; rows.push(row); return size < most; };
  const attributes = (one) => {
    const field = ['input', 'textarea', 'select'].includes(tag(one));
    const secret = field && (['password', 'hidden'].includes(one.type) || /password|one-time|cc-/.test(one.autocomplete || ''));
    const found = [...attributesOf(one)].filter((each) => !/^on|^style$|^srcset$|^nonce$|^integrity$/i.test(each.name))
      .map((each) => [each.name, secret && each.name === 'value' ? '[hidden]' : each.value.slice(0, 300)]);
    return found.slice(0, 30);
  };
  const walk = (first) => {
    const open = [[first, 0]];
    while (open.length) {
      const [one, depth] = open.pop();
      if (type(one) === 3) {
        const text = one.data.slice(0, 5000).replace(/\s+/g, ' ').trim();
        if (text && !put([depth, '', [], text])) return false;
      } else if (type(one) === 1 && !LEFT_OUT.has(tag(one))) {
        if (!put([depth, tag(one), attributes(one), ''])) return false;
        if (['svg', 'textarea'].includes(tag(one))) continue;
        const children = [...(shadow(one) ? nodes(shadow(one)) : []), ...nodes(one)];
        for (const child of children.reverse()) open.push([child, depth + 1]);
      }
    }
    return true;
  };
  const whole = walk(top);
  return { title: title.slice(0, 300), url: location.href.slice(0, 4000), rows, whole };
}
