export interface CustomizationTables {
  readonly customizations: {
    readonly environmentId: number;
    /** JSON. */
    readonly document: string;
  };
}
