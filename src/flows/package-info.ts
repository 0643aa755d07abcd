/** This package, as installed. */
export interface PackageInfo {
  readonly name: string;
  readonly version: string;
  /** Absolute path of its folder. */
  readonly root: string;
}
