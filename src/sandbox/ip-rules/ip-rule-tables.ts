export interface IpRuleTables {
  readonly ipRules: {
    readonly environmentId: number;
    /** JSON. */
    readonly rules: string;
  };
}
