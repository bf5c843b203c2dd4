// Elements of the viewer, and the texts and schemas of the API's description as elements. Texts never become HTML. [ADR 46]
globalThis.potagerElements = (() => {
  /** Creates an element; `class` and attributes with dashes are attributes, everything else is a property. */
  function create(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties))
      if (key === 'class' || key.includes('-')) element.setAttribute(key, value);
      else element[key] = value;
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** Details whose content is created when they are opened. */
  function lazyDetails(properties, summary, createContent) {
    const details = create('details', properties, create('summary', {}, ...summary));
    details.addEventListener('toggle', () => details.append(...createContent()), { once: true });
    return details;
  }

  // Texts

  const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/;

  /** Converts code, bold text and links of Markdown to nodes. Links become text, because the frame may open nothing. */
  function inline(text) {
    const found = marks.exec(text);
    if (!found) return [text];
    const [all, code, bold, label, address] = found;
    const nodes = code
      ? [create('code', {}, code)]
      : bold
        ? [create('strong', {}, bold)]
        : [`${label} (`, create('code', {}, address), ')'];
    return [text.slice(0, found.index), ...nodes, ...inline(text.slice(found.index + all.length))];
  }

  /** Converts paragraphs and lists of Markdown to elements. */
  const blocks = (text = '') =>
    text
      .split(/\n{2,}/)
      .filter((block) => block.trim() !== '')
      .map((block) =>
        /^[-*] /.test(block)
          ? create(
              'ul',
              {},
              ...block
                .split(/^[-*] /m)
                .slice(1)
                .map((item) => create('li', {}, ...inline(item))),
            )
          : create('p', {}, ...inline(block)),
      );

  const json = (value) => JSON.stringify(value, null, 2);
  const pre = (text) => create('pre', { tabIndex: 0 }, text);

  return { create, lazyDetails, inline, blocks, json, pre };
})();

globalThis.potagerSchemas = (() => {
  const { create, lazyDetails, blocks } = potagerElements;
  let description;

  /** Follows a reference within the description. */
  const resolve = (value) =>
    value?.$ref
      ? resolve(
          value.$ref
            .slice(2)
            .split('/')
            .reduce((inner, key) => inner[key.replaceAll('~1', '/').replaceAll('~0', '~')], description),
        )
      : value;

  /** Number of alternatives that are named in a line. */
  const maxAlternatives = 8;

  const alternativesOf = (schema) => schema.anyOf ?? schema.oneOf;

  function typeOf(schema) {
    if (schema.$ref) return schema.$ref.split('/').pop();
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
    const alternatives = alternativesOf(schema);
    if (alternatives?.length > maxAlternatives) return `one of ${alternatives.length} types`;
    if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ');
    if (schema.allOf) return schema.allOf.map(typeOf).join(' and ');
    if (schema.type === 'array') return schema.items ? `array of ${typeOf(schema.items)}` : 'array';
    return [schema.type ?? 'anything'].flat().join(' or ');
  }

  const limits = {
    format: (value) => value,
    minimum: (value) => `at least ${value}`,
    exclusiveMinimum: (value) => `more than ${value}`,
    maximum: (value) => `at most ${value}`,
    exclusiveMaximum: (value) => `less than ${value}`,
    minLength: (value) => `at least ${value} characters`,
    maxLength: (value) => `at most ${value} characters`,
    minItems: (value) => `at least ${value} items`,
    maxItems: (value) => `at most ${value} items`,
    pattern: (value) => `pattern ${value}`,
    default: (value) => `default ${JSON.stringify(value)}`,
  };

  const limitsOf = (schema) =>
    Object.entries(limits)
      .filter(([key]) => schema[key] !== undefined && !(key === 'pattern' && schema.format))
      // Limits of the number's size in memory say nothing to readers.
      .filter(([key]) => typeof schema[key] !== 'number' || Math.abs(schema[key]) < 2 ** 31 - 1)
      .map(([key, describe]) => describe(schema[key]))
      .join(', ');

  const hasFields = (schema) =>
    Boolean(
      schema &&
        (schema.$ref ||
          schema.properties ||
          hasFields(schema.items) ||
          (alternativesOf(schema) ?? schema.allOf)?.some(hasFields)),
    );

  /** The fields of a schema; fields of nested schemas when they are opened, because schemas may contain themselves. */
  function fieldsOf(schema) {
    const known = resolve(schema);
    const parts = [...(alternativesOf(known) ?? []), ...(known.allOf ?? []), known.items].filter(hasFields);
    const properties = Object.entries(known.properties ?? {});
    return [
      ...(schema.$ref ? blocks(known.description) : []),
      ...parts.map((part) => lazyDetails({}, [part.title ?? typeOf(part)], () => fieldsOf(part))),
      ...(properties.length > 0
        ? [create('ul', { class: 'fields' }, ...properties.map((each) => fieldOf(known, ...each)))]
        : []),
      ...(parts.length + properties.length > 0 ? [] : [create('p', {}, typeOf(known), ' ', limitsOf(known))]),
    ];
  }

  const nameLine = (name, schema, isRequired) => [
    create('code', {}, name),
    ' ',
    create('span', { class: 'soft' }, [typeOf(schema), limitsOf(schema)].filter(Boolean).join(', ')),
    isRequired ? create('strong', {}, ' required') : null,
  ];

  const fieldOf = ({ required = [] }, name, schema) =>
    create(
      'li',
      {},
      ...nameLine(name, schema, required.includes(name)),
      ...blocks(schema.description),
      hasFields(schema) ? lazyDetails({}, ['Fields'], () => fieldsOf(schema)) : null,
    );

  /** The examples of a parameter, or of the content of a body, by name. */
  function examplesOf(place) {
    const { example, examples, schema = {} } = place;
    if (example !== undefined) return { Example: example };
    if (examples)
      return Object.fromEntries(Object.entries(examples).map(([name, each]) => [name, resolve(each).value]));
    const known = resolve(schema);
    const value = known.examples?.[0] ?? known.example ?? known.default ?? known.enum?.[0];
    return value === undefined ? {} : { Example: value };
  }

  /** Whether a request needs no token. */
  const isPublic = ({ security = description.security }) => security?.length === 0;

  return {
    /** Sets the description whose references are followed. */
    describe(document) {
      description = document;
    },
    resolve,
    fieldsOf,
    nameLine,
    examplesOf,
    isPublic,
  };
})();
