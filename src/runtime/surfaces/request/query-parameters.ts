/** Query parameters by decoded name; the values of a repeated one are joined with a comma. */
export type QueryParameters = Readonly<Record<string, string>>;
