// The form of an operation in the viewer, which sends its request and shows the response. [ADR 46]
globalThis.potagerRequests = (() => {
  const { create, lazyDetails, blocks, json, pre } = potagerElements;
  const { resolve, fieldsOf, nameLine, examplesOf, isPublic } = potagerSchemas;
  /** The id of the last record in a response, by path: requests of one record suggest it. */
  const lastIds = new Map();
  let token = null;

  const firstExample = (place) => Object.values(examplesOf(place))[0];

  /** A labelled input. */
  function labelled(id, label, input, ...more) {
    input.id = id;
    return create('div', { class: 'field' }, create('label', { htmlFor: id }, ...label), ...more, input);
  }

  function requestForm(method, path, operation) {
    const { operationId } = operation;
    const parameters = (operation.parameters ?? []).map(resolve);
    const inputs = parameters.map((parameter) => {
      const { name, required = false } = parameter;
      const isRecord = name === 'id' && parameter.in === 'path';
      const suggested = isRecord ? lastIds.get(path.replace(/\/\{id\}.*$/, '')) : undefined;
      // Optional parameters are empty, and not sent.
      const value = suggested ?? (required ? firstExample(parameter) : undefined) ?? '';
      return create('input', { required, value: String(value), autocomplete: 'off' });
    });
    const fields = parameters.map((parameter, index) => {
      const { name, schema = {}, required, description: text } = parameter;
      const explanation = blocks(text ?? schema.description);
      return labelled(`${operationId}-${name}`, nameLine(name, schema, required), inputs[index], ...explanation);
    });
    const body = bodyInput(operation);
    const send = create('button', { type: 'submit' }, 'Send request');
    const stop = create('button', { type: 'button', class: 'quiet', hidden: true }, 'Stop');
    const status = create('p', { class: 'message', role: 'status' });
    const answer = create('div', { class: 'answer' });
    const form = create('form', {}, ...fields, ...(body?.elements ?? []));
    if (!isPublic(operation)) form.append(tokenHint(operation));
    form.append(create('p', { class: 'actions' }, send, stop), status, answer);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const aborted = new AbortController();
      stop.onclick = () => aborted.abort();
      send.disabled = true;
      stop.hidden = false;
      answer.replaceChildren();
      status.textContent = 'Waiting for the response …';
      status.className = 'message';
      try {
        const values = inputs.map(({ value }, index) => ({ ...parameters[index], value }));
        const headers = token && !isPublic(operation) ? { authorization: `Bearer ${token}` } : {};
        const content = body?.value();
        if (typeof content === 'string') headers['content-type'] = 'application/json';
        const request = { method: method.toUpperCase(), headers, body: content, signal: aborted.signal };
        const response = await fetch(urlOf(path, values), request);
        status.textContent = `${response.status} ${response.statusText}`;
        status.className = response.ok ? 'message' : 'message error';
        await showBody(response, answer, path);
      } catch (error) {
        if (!aborted.signal.aborted) {
          status.textContent = `The request failed: ${error.message}`;
          status.className = 'message error';
        } else if (answer.childElementCount === 0) status.textContent = 'Stopped.';
      } finally {
        send.disabled = false;
        stop.hidden = true;
      }
    });
    return form;
  }

  const tokenHint = ({ 'x-scope': scope }) =>
    scope === 'session'
      ? create('p', { class: 'soft' }, 'Needs a token of a sign-in: that of “Use my account” is refused.')
      : create('p', { class: 'without-token soft' }, 'Needs a token: sign in, then choose “Use my account” above.');

  function urlOf(path, parameters) {
    const filled = path.replace(/\{(\w+)\}/g, (all, name) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      return parameter ? encodeURIComponent(parameter.value) : all;
    });
    const query = parameters
      .filter((each) => each.in === 'query' && each.value !== '')
      .flatMap(({ name, style, value }) =>
        style === 'deepObject'
          ? Object.entries(JSON.parse(value)).map(([key, inner]) => [`${name}[${key}]`, inner])
          : [[name, value]],
      );
    return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
  }

  /** The input of a body: text with its examples for JSON, a file for other types; null without a body. */
  function bodyInput({ operationId, requestBody }) {
    if (!requestBody) return null;
    const { content, required = false } = resolve(requestBody);
    const id = `${operationId}-body`;
    const media = content['application/json'];
    if (!media) {
      const input = create('input', { type: 'file', required });
      return { elements: [labelled(id, ['Body'], input)], value: () => input.files[0] };
    }
    const examples = Object.entries(examplesOf(media));
    const text = json(examples[0]?.[1] ?? {});
    const input = create('textarea', {
      value: text,
      spellcheck: false,
      rows: Math.min(text.split('\n').length + 1, 24),
    });
    const elements = [labelled(id, ['Body (JSON)'], input)];
    if (examples.length > 1) {
      const choice = create('select', {}, ...examples.map(([name], index) => create('option', { value: index }, name)));
      choice.addEventListener('change', () => {
        input.value = json(examples[choice.value][1]);
      });
      elements.unshift(labelled(`${id}-example`, ['Example'], choice));
    }
    elements.push(lazyDetails({}, ['Fields of the body'], () => fieldsOf(media.schema)));
    return { elements, value: () => (input.value.trim() === '' && !required ? undefined : input.value) };
  }

  /** Shows the body of a response: text as it arrives, JSON indented, anything else as a download. */
  async function showBody(response, place, path) {
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('application/json')) {
      const text = await response.text();
      if (text === '') return;
      const body = JSON.parse(text);
      const id = [body].flat()[0]?.id;
      if (response.ok && id !== undefined) lastIds.set(path.replace(/\/\{id\}$/, ''), id);
      place.append(pre(json(body)));
    } else if (type.startsWith('text/')) {
      const shown = pre('');
      place.append(shown);
      // Not every browser can iterate over a stream.
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) shown.append(piece.value);
    } else {
      const blob = await response.blob();
      if (blob.size > 0)
        place.append(
          create('a', { href: URL.createObjectURL(blob), download: path.split('/').pop() }, 'Download the body'),
        );
    }
  }

  return {
    requestForm,
    /** Sets the token of further requests; null for none. */
    setToken(newToken) {
      token = newToken;
      document.documentElement.toggleAttribute('data-token', token !== null);
    },
  };
})();
