export function lackedBy(path: readonly string[]): readonly string[];
export function newerNames(): readonly (readonly string[])[];
