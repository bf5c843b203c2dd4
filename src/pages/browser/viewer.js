// The viewer in the frame of /docs, which has an opaque origin: lists the operations of the API's description. Requests are
// sent with temporary tokens that the page around it passes. [ADR 41, ADR 46]
(() => {
  const { create, lazyDetails, inline, blocks, json, pre } = potagerElements;
  const { describe, resolve, fieldsOf, examplesOf } = potagerSchemas;
  const { requestForm, setToken } = potagerRequests;
  const { port1: port, port2 } = new MessageChannel();
  const main = document.querySelector('main');
  const search = document.querySelector('#search');
  const noMatch = document.querySelector('#no-match');
  const sections = [];

  function operationView({ method, path, operation }) {
    const summary = [
      create('span', { class: `method ${method}` }, method.toUpperCase()),
      create('code', {}, path),
      create('span', { class: 'what' }, operation.summary ?? ''),
      operation.deprecated ? create('span', { class: 'soft' }, 'deprecated') : null,
    ];
    const details = lazyDetails({ class: 'operation', id: operation.operationId }, summary.filter(Boolean), () => [
      ...blocks(operation.description),
      // Only the API responds to other origins.
      ...(path.startsWith('/api/') ? [requestForm(method, path, operation)] : []),
      create('h3', {}, 'Responses'),
      ...Object.entries(operation.responses).map(([status, response]) => responseView(status, resolve(response))),
    ]);
    details.addEventListener('toggle', () => {
      if (details.open) port.postMessage(`#/${details.id}`);
    });
    return details;
  }

  function responseView(status, { description: text, content = {} }) {
    const label = [create('code', {}, status), ' ', ...inline(text)];
    const types = Object.entries(content);
    if (types.length === 0) return create('p', { class: 'response' }, ...label);
    return lazyDetails({ class: 'response' }, label, () =>
      types.flatMap(([type, media]) => [
        create('p', { class: 'soft' }, type),
        ...Object.values(examplesOf(media)).map((example) =>
          pre(typeof example === 'string' ? example : json(example)),
        ),
        ...(media.schema ? [lazyDetails({}, ['Fields'], () => fieldsOf(media.schema))] : []),
      ]),
    );
  }

  function showDescription(description) {
    const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const shown = operations.filter(({ operation }) => operation?.responses && !operation['x-alias']);
    for (const { name, description: text = '' } of description.tags) {
      const entries = shown
        .filter(({ operation }) => operation.tags[0] === name)
        .map((each) => ({
          view: operationView(each),
          words: `${name} ${each.method} ${each.path} ${each.operation.summary}`.toLowerCase(),
        }));
      if (entries.length === 0) continue;
      const views = entries.map(({ view }) => view);
      const view = create(
        'details',
        { class: 'tag' },
        create(
          'summary',
          {},
          create('h2', {}, name),
          create('span', { class: 'soft' }, String(views.length)),
          ...blocks(text),
        ),
        ...views,
      );
      sections.push({ view, entries });
    }
    main.replaceChildren(...blocks(description.info.description), ...sections.map(({ view }) => view));
    search.disabled = false;
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { view, entries } of sections) {
      for (const entry of entries) entry.view.hidden = !words.every((word) => entry.words.includes(word));
      const found = entries.filter((entry) => !entry.view.hidden).length;
      view.hidden = found === 0;
      view.open = words.length > 0;
      count += found;
    }
    noMatch.hidden = count > 0;
  }

  /** Opens the operation that the address names, `#/postTools`. */
  function openLinked() {
    const id = location.hash.split('/').pop();
    const section = sections.find(({ entries }) => entries.some(({ view }) => view.id === id));
    if (!section) return;
    section.view.open = true;
    const { view } = section.entries.find((entry) => entry.view.id === id);
    view.open = true;
    view.scrollIntoView();
    view.querySelector('summary').focus({ preventScroll: true });
  }

  function start(text) {
    const description = JSON.parse(text);
    describe(description);
    showDescription(description);
    openLinked();
  }

  port.onmessage = ({ data }) => {
    if (data.description === undefined) setToken(data.token);
    else start(data.description);
  };
  search.addEventListener('input', filter);
  addEventListener('hashchange', openLinked);
  if (parent === window)
    main.replaceChildren('This is a part of ', create('a', { href: '/docs' }, 'the API documentation'), '.');
  else parent.postMessage('ready', location.origin, [port2]);
})();
