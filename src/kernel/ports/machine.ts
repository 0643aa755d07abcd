/** What the machine tells of itself. */
export interface Machine {
  /** `24.1.0`. */
  readonly nodeVersion: string;
  /** `linux`, `darwin`, `win32`. */
  readonly system: string;
  /** `x64`, `arm64`. */
  readonly architecture: string;
  /** Whether a server can listen on the port of the loopback address. */
  isPortFree(port: number): Promise<boolean>;
  /** The process that listens on a port, as `name (pid 123)`; `null` where the system does not tell. */
  portOwner(port: number): Promise<string | null>;
}
