/** Returns a function that connects a field to a value of a form, and to the problem of that name or of another one. */
export const boundFields =
  <T extends object>(values: T, set: (values: T) => void, problems: Readonly<Record<string, string>> = {}) =>
  <K extends keyof T & string>(name: K, problem: string = name) => ({
    name,
    value: values[name],
    onChange: (value: T[K]) => set({ ...values, [name]: value }),
    problem: problems[problem],
  });
