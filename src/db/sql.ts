/** A fragment of SQL: constant text with values in between, one text more than values. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }

  /** Returns the text with a placeholder for each value, counted from 1. */
  text(placeholder: (position: number) => string): string {
    return this.texts.reduce((text, next, index) => text + placeholder(index) + next);
  }
}

/** Template tag for SQL: embeds fragments and binds all other values as parameters. */
export function sql(texts: readonly string[], ...values: readonly unknown[]): Sql {
  const [first = '', ...rest] = texts;
  const builtTexts = [first];
  const builtValues: unknown[] = [];
  const append = (text: string): void => {
    builtTexts.push(`${builtTexts.pop() ?? ''}${text}`);
  };
  for (const [index, value] of values.entries()) {
    if (value instanceof Sql) {
      append(value.texts[0] ?? '');
      builtTexts.push(...value.texts.slice(1));
      builtValues.push(...value.values);
      append(rest[index] ?? '');
    } else {
      builtTexts.push(rest[index] ?? '');
      builtValues.push(value);
    }
  }
  return new Sql(builtTexts, builtValues);
}

/** Embeds text unchanged. Never pass input of a client. */
export const rawSql = (text: string): Sql => new Sql([text], []);

/** Embeds a quoted identifier. */
export const nameSql = (name: string): Sql => rawSql(quoteName(name));

/** Joins fragments with a constant separator. */
export const joinSql = (fragments: readonly Sql[], separator = ', '): Sql =>
  sql(['', ...fragments.slice(1).map(() => separator), ''], ...fragments);

/** Quotes an identifier. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes text as an SQL literal. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;
