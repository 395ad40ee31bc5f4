// The page as rows of depth, name, attributes and text: without scripts and styles, no longer than was asked for.
(most) => {
  const LEFT_OUT = new Set(['script', 'style', 'noscript', 'link', 'meta', 'base', 'object', 'embed']);
  const rows = [];
  let size = 0;
  const put = (row) => { size += JSON.stringify(row).length; rows.push(row); return size < most; };
  const attributes = (one) => {
    const field = ['input', 'textarea', 'select'].includes(one.localName);
    const secret = field && (['password', 'hidden'].includes(one.type) || /password|one-time|cc-/.test(one.autocomplete || ''));
    const found = [...one.attributes].filter((each) => !/^on|^style$|^srcset$|^nonce$|^integrity$/i.test(each.name))
      .map((each) => [each.name, secret && each.name === 'value' ? '[hidden]' : each.value.slice(0, 300)]);
    return found.slice(0, 30);
  };
  const walk = (top) => {
    const open = [[top, 0]];
    while (open.length) {
      const [one, depth] = open.pop();
      if (one.nodeType === 3) {
        const text = one.data.slice(0, 20000).replace(/\s+/g, ' ').trim();
        if (text && !put([depth, '', [], text])) return false;
      } else if (one.nodeType === 1 && !LEFT_OUT.has(one.localName)) {
        if (!put([depth, one.localName, attributes(one), ''])) return false;
        if (['svg', 'textarea'].includes(one.localName)) continue;
        const children = [...(one.shadowRoot ? one.shadowRoot.childNodes : []), ...one.childNodes];
        for (const child of children.reverse()) open.push([child, depth + 1]);
      }
    }
    return true;
  };
  const whole = walk(document.documentElement);
  return { title: document.title.slice(0, 300), url: location.href.slice(0, 4000), rows, whole };
}
