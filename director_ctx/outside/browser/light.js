// What is on a page for somebody who wants to use it: title, headings, and what can be clicked or filled in.
(most) => {
  const USABLE = 'a[href],button,input,select,textarea,summary,[onclick],[role=button],[role=link],[role=checkbox],'
    + '[role=radio],[role=tab],[role=menuitem],[role=option],[role=switch],[role=combobox],[role=textbox],[role=slider],'
    + '[contenteditable=""],[contenteditable=true],iframe';
  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
  // Ids that a program counted or drew are others next time.
  const MADE = /\d{3,}|^\d|[0-9a-f]{8,}|^:|:$|^(ember|react|radix|headlessui|mui|yui|ext|gen|__)[-_:]?/i;

  const everything = [];
  const collect = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (everything.length > 200000) return;
      everything.push(one);
      if (one.shadowRoot) collect(one.shadowRoot);
    }
  };
  collect(document);

  const quoted = (text) => '"' + text.replace(/["\\]/g, '\\$&').replace(/[\n\r\f\t\0]/g, (c) => '\\' + c.charCodeAt(0).toString(16) + ' ') + '"';
  const line = (text) => (text || '').slice(0, 2000).replace(/\s+/g, ' ').trim().slice(0, 300);
  const seen = new Map();
  const count = (key) => seen.set(key, (seen.get(key) || 0) + 1);
  const ATTRIBUTES = [...TEST_IDS, 'name', 'aria-label', 'href', 'placeholder'];
  for (const one of everything) {
    if (one.id) count('#' + one.id);
    for (const name of ATTRIBUTES) {
      const value = one.getAttribute(name);
      if (value) { count(one.localName + name + '=' + value); count(name + '=' + value); }
    }
  }

  const simple = (one) => {
    const id = one.getAttribute('id');
    if (id && id.length < 100 && !MADE.test(id) && seen.get('#' + id) === 1) return '#' + CSS.escape(id);
    for (const name of TEST_IDS) {
      const value = one.getAttribute(name);
      if (value && value.length < 100 && seen.get(name + '=' + value) === 1) return `[${name}=${quoted(value)}]`;
    }
    for (const name of ['name', 'aria-label', 'placeholder', 'href']) {
      const value = one.getAttribute(name);
      if (value && value.length < 150 && /^[a-z][a-z0-9-]*$/.test(one.localName)
        && seen.get(one.localName + name + '=' + value) === 1) return `${one.localName}[${name}=${quoted(value)}]`;
    }
    return '';
  };
  // The way down from the nearest element above that has a name of its own; it may lead through shadow roots.
  const path = (one) => {
    const steps = [];
    for (let here = one; ;) {
      const named = here !== one && simple(here);
      if (named) { steps.unshift(named); break; }
      const parent = here.parentElement;
      const around = parent || here.getRootNode();
      if (around === document) { steps.unshift('html'); break; }
      const alike = [...around.children].filter((other) => other.localName === here.localName);
      const step = CSS.escape(here.localName) + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(here) + 1})` : '');
      steps.unshift(step);
      if (parent) { steps.unshift(' > '); here = parent; continue; }
      if (!around.host) break;
      steps.unshift(' >> ');
      here = around.host;
    }
    return steps.join('');
  };
  const byText = (one) => {
    const text = line(one.textContent);
    const own = [...one.childNodes].every((node) => node.nodeType === 3 || node.nodeType === 8);
    return own && text && text.length < 60 && ['a', 'button', 'summary'].includes(one.localName)
      ? `${one.localName}:text-is(${quoted(text)})` : '';
  };
  const visible = (one) => (one.checkVisibility ? one.checkVisibility({ visibilityProperty: true }) : true)
    && one.getClientRects().length > 0;
  const label = (one) => {
    const by = (one.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map((id) => line(one.getRootNode().getElementById?.(id)?.textContent)).join(' ');
    const field = ['input', 'select', 'textarea'].includes(one.localName);
    const said = field ? line([...(one.labels || [])].map((each) => each.textContent).join(' ')) : line(one.innerText || one.textContent);
    const button = one.localName === 'input' && ['submit', 'button', 'reset'].includes(one.type) ? line(one.value) : '';
    return line(one.getAttribute('aria-label')) || by || said || button || line(one.getAttribute('placeholder'))
      || line(one.getAttribute('title')) || line(one.querySelector?.('img[alt]')?.getAttribute('alt')) || line(one.getAttribute('alt'));
  };
  const kind = (one) => {
    const role = line(one.getAttribute('role'));
    if (role) return role;
    if (one.localName === 'a') return 'link';
    if (one.localName === 'input') return ['submit', 'button', 'reset', 'image'].includes(one.type) ? 'button' : 'input';
    return { button: 'button', select: 'select', textarea: 'textarea', summary: 'button', iframe: 'frame' }[one.localName]
      || (one.isContentEditable ? 'editable' : 'clickable');
  };
  const state = (one) => {
    const found = [];
    const on = (name, is) => { if (is) found.push(name); };
    on('disabled', one.disabled || one.getAttribute('aria-disabled') === 'true');
    on('checked', one.checked || one.getAttribute('aria-checked') === 'true');
    on('required', one.required);
    on('read only', one.readOnly && !['checkbox', 'radio', 'submit', 'button'].includes(one.type));
    on('expanded', one.getAttribute('aria-expanded') === 'true');
    on('selected', one.getAttribute('aria-selected') === 'true');
    on('focused', one.getRootNode().activeElement === one);
    return found;
  };
  const secret = (one) => one.type === 'password' || /password|one-time|cc-/.test(one.autocomplete || '');
  const value = (one) => {
    if (one.localName === 'select') return line([...one.selectedOptions].map((each) => each.text).join(', '));
    if (!['input', 'textarea'].includes(one.localName)) return '';
    if (['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'file'].includes(one.type)) return '';
    return secret(one) ? (one.value ? 'secret' : '') : line(one.value);
  };

  const found = everything.filter((one) => one.matches(USABLE) && one.type !== 'hidden' && visible(one));
  const rows = found.slice(0, most).map((one) => ({
    kind: kind(one), label: label(one), type: one.localName === 'input' ? one.type : '', state: state(one),
    value: value(one), secret: secret(one), names: [one.name, one.id].filter((each) => typeof each === 'string').map(line),
    url: one.localName === 'a' ? (one.getAttribute('href') || '').slice(0, 2000) : one.localName === 'iframe' ? (one.src || '').slice(0, 2000) : '',
    simple: simple(one), text: simple(one) ? '' : byText(one), path: simple(one) ? '' : path(one),
  }));
  const headings = everything.filter((one) => /^h[1-6]$/.test(one.localName) && visible(one)).slice(0, 100)
    .map((one) => ({ level: +one.localName[1], text: line(one.innerText) })).filter((one) => one.text);
  return { title: line(document.title), url: location.href.slice(0, 4000), headings, elements: rows, total: found.length };
}
