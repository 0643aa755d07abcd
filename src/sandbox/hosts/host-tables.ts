import type { HostLogLine } from '#contracts/hosting';

export interface HostTables {
  readonly hosts: {
    readonly environmentId: number;
    /** A UUID, made up by the host. */
    readonly id: string;
    readonly name: string;
    readonly workers: number;
    /** Numbers of deployments. */
    readonly serving: number | null;
    readonly checked: number | null;
    readonly refused: number | null;
    readonly refusedReason: string | null;
    readonly seenAt: number;
  };
  readonly hostLines: {
    readonly environmentId: number;
    /** Counts from 1 in each environment. */
    readonly sequence: number;
    /** Name of the host. */
    readonly host: string;
    readonly at: number;
    readonly level: HostLogLine['level'];
    readonly text: string;
  };
}
