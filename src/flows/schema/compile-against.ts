/** `file` is the `schema.json` of the project. */
export const compileAgainst = ['file', 'database'] as const;
export type CompileAgainst = (typeof compileAgainst)[number];
