// What is on a page for somebody who wants to use it: title, headings, and what can be clicked or filled in.
(most) => {
  // A form's own fields hide what the form has by the same names, and a page may name its fields anything.
  const getter = (kind, name) => {
    const get = Object.getOwnPropertyDescriptor(kind.prototype, name).get;
    return (one) => get.call(one);
  };
  const tag = getter(Element, 'localName');
  const shadow = getter(Element, 'shadowRoot'), childrenOf = getter(Element, 'children');
  const above = getter(Node, 'parentElement'), nodes = getter(Node, 'childNodes'), text = getter(Node, 'textContent');
  const attribute = (one, name) => Element.prototype.getAttribute.call(one, name);
  const rootOf = (one) => Node.prototype.getRootNode.call(one);
  const title = getter(Document, 'title')(document), top = getter(Document, 'documentElement')(document);
  const USABLE = 'a[href],button,input,select,textarea,summary,[onclick],[role=button],[role=link],[role=checkbox],'
    + '[role=radio],[role=tab],[role=menuitem],[role=option],[role=switch],[role=combobox],[role=textbox],[role=slider],'
    + '[contenteditable=""],[contenteditable=true],iframe';
  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
  // Ids that a program counted or drew are others next time.
  const MADE = /\d{3,}|^\d|[0-9a-f]{8,}|^:|:$|^(ember|react|radix|headlessui|mui|yui|ext|gen|__)[-_:]?/i;

  const everything = [];
  let shadows = 0;
  const add = (one) => {
    everything.push(one);
    if (shadow(one) && ++shadows) shadow(one).querySelectorAll('*').forEach(add);
  };
  add(top);
  for (const one of Element.prototype.querySelectorAll.call(top, '*')) {
    if (everything.length > 200000) break;
    add(one);
  }

  const quoted = (some) => '"' + some.replace(/["\\]/g, '\\$&')
    .replace(/[\n\r\f\t\0]/g, (one) => '\\' + one.charCodeAt(0).toString(16) + ' ') + '"';
  const line = (some) => (typeof some === 'string' ? some : '').slice(0, 2000).replace(/\s+/g, ' ').trim().slice(0, 300);
  // Whatever a text selector could find an element by: its whole text, and each run of it between other elements.
  const SAYING = ['a', 'button', 'summary'];
  const plain = (some) => some.slice(0, 2000).replace(/[\u200b\u00ad]/g, '').replace(/\s+/g, ' ').trim();
  const sayings = (one) => {
    const found = new Set([plain(text(one))]);
    let run = '';
    for (const node of [...nodes(one), null]) {
      if (node && node.nodeType === 3) { run += node.data; continue; }
      found.add(plain(run));
      run = '';
    }
    return found;
  };
  const seen = new Map();
  const count = (key) => seen.set(key, (seen.get(key) || 0) + 1);
  const ATTRIBUTES = [...TEST_IDS, 'name', 'aria-label', 'href', 'placeholder'];
  for (const one of everything) {
    const id = attribute(one, 'id');
    if (id) count('#' + id.toLowerCase());
    if (SAYING.includes(tag(one))) for (const said of sayings(one)) count(tag(one) + '"' + said);
    for (const name of ATTRIBUTES) {
      const value = attribute(one, name);
      if (value) { count(tag(one) + name + '=' + value); count(name + '=' + value); }
    }
  }

  const simple = (one) => {
    const id = attribute(one, 'id');
    if (id && id.length < 100 && !MADE.test(id) && seen.get('#' + id.toLowerCase()) === 1) return '#' + CSS.escape(id);
    for (const name of TEST_IDS) {
      const value = attribute(one, name);
      if (value && value.length < 100 && seen.get(name + '=' + value) === 1) return `[${name}=${quoted(value)}]`;
    }
    for (const name of ['name', 'aria-label', 'placeholder', 'href']) {
      const value = attribute(one, name);
      if (value && value.length < 150 && /^[a-z][a-z0-9-]*$/.test(tag(one))
        && seen.get(tag(one) + name + '=' + value) === 1) return `${tag(one)}[${name}=${quoted(value)}]`;
    }
    return '';
  };
  // The children of an element are counted once, however many of them ask.
  const counted = new Map();
  const placeIn = (around, one) => {
    if (!counted.has(around)) {
      const many = new Map(), places = new Map();
      for (const child of around === rootOf(one) ? around.children : childrenOf(around)) {
        many.set(tag(child), (many.get(tag(child)) || 0) + 1);
        places.set(child, many.get(tag(child)));
      }
      counted.set(around, [places, many]);
    }
    const [places, many] = counted.get(around);
    return [places.get(one), many.get(tag(one))];
  };
  // The way down from the nearest element above that has a name of its own; it may lead through shadow roots.
  const path = (one) => {
    const steps = [];
    for (let here = one; ;) {
      const named = here !== one && simple(here);
      if (named) { steps.unshift(named); break; }
      const parent = above(here);
      const around = parent || rootOf(here);
      if (here === top) { steps.unshift('html'); break; }
      if (steps.length > 60) return '';
      const [place, many] = placeIn(around, here);
      const step = CSS.escape(tag(here)) + (many > 1 ? `:nth-of-type(${place})` : '');
      steps.unshift(step);
      if (parent) { steps.unshift(' > '); here = parent; continue; }
      if (!around.host) break;
      steps.unshift(' >> ');
      here = around.host;
    }
    return steps.join('');
  };
  const byText = (one) => {
    const said = SAYING.includes(tag(one)) && nodes(one).length === 1 && nodes(one)[0].nodeType === 3 ? plain(text(one)) : '';
    return said && said.length < 60 && seen.get(tag(one) + '"' + said) === 1 ? `${tag(one)}:text-is(${quoted(said)})` : '';
  };
  const visible = (one) => Element.prototype.checkVisibility.call(one, { visibilityProperty: true })
    && Element.prototype.getClientRects.call(one).length > 0;
  const label = (one) => {
    const by = (attribute(one, 'aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map((id) => line(rootOf(one).getElementById?.(id)?.textContent)).join(' ');
    const field = ['input', 'select', 'textarea'].includes(tag(one));
    const said = field ? line([...(one.labels || [])].map((each) => text(each)).join(' ')) : line(one.innerText || text(one));
    const button = tag(one) === 'input' && ['submit', 'button', 'reset'].includes(one.type) ? line(one.value) : '';
    return line(attribute(one, 'aria-label')) || by || said || button || line(attribute(one, 'placeholder'))
      || line(attribute(one, 'title')) || line(Element.prototype.querySelector.call(one, 'img[alt]')?.alt) || line(attribute(one, 'alt'));
  };
  const kind = (one) => {
    const role = line(attribute(one, 'role'));
    if (role) return role;
    if (tag(one) === 'a') return 'link';
    if (tag(one) === 'input') return ['submit', 'button', 'reset', 'image'].includes(one.type) ? 'button' : 'input';
    return { button: 'button', select: 'select', textarea: 'textarea', summary: 'button', iframe: 'frame' }[tag(one)]
      || (one.isContentEditable ? 'editable' : 'clickable');
  };
  const state = (one) => {
    const found = [];
    const on = (name, is) => { if (is) found.push(name); };
    on('disabled', one.disabled || attribute(one, 'aria-disabled') === 'true');
    on('checked', one.checked || attribute(one, 'aria-checked') === 'true');
    on('required', one.required);
    on('read only', one.readOnly && !['checkbox', 'radio', 'submit', 'button'].includes(one.type));
    on('expanded', attribute(one, 'aria-expanded') === 'true');
    on('selected', attribute(one, 'aria-selected') === 'true');
    on('focused', rootOf(one).activeElement === one);
    return found;
  };
  const secret = (one) => one.type === 'password' || /password|one-time|cc-/.test(one.autocomplete || '');
  const value = (one) => {
    if (tag(one) === 'select') return line([...one.selectedOptions].map((each) => each.text).join(', '));
    if (!['input', 'textarea'].includes(tag(one))) return '';
    if (['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'file'].includes(one.type)) return '';
    return secret(one) ? (one.value ? 'secret' : '') : line(one.value);
  };

  const found = everything.filter((one) => Element.prototype.matches.call(one, USABLE) && one.type !== 'hidden' && visible(one));
  const rows = found.slice(0, most).map((one) => ({
    kind: kind(one), label: label(one), type: tag(one) === 'input' ? one.type : '', state: state(one),
    value: value(one), secret: secret(one), names: [one.name, one.id].filter((each) => typeof each === 'string').map(line),
    url: tag(one) === 'a' ? (attribute(one, 'href') || '').slice(0, 2000) : tag(one) === 'iframe' ? (one.src || '').slice(0, 2000) : '',
    sure: [simple(one), byText(one), shadows ? '' : path(one)], path: shadows ? path(one) : '',
  }));
  const headings = everything.filter((one) => /^h[1-6]$/.test(tag(one)) && visible(one)).slice(0, 100)
    .map((one) => ({ level: +tag(one)[1], text: line(one.innerText) })).filter((one) => one.text);
  return { title: line(title), url: location.href.slice(0, 4000), headings, elements: rows, total: found.length };
}
