import type { DeploymentState } from '#contracts/deployments';

export interface DeploymentTables {
  readonly deployments: {
    readonly environmentId: number;
    /** Counts from 1 in each environment. */
    readonly number: number;
    readonly versionNumber: number;
    readonly variablesRevision: number;
    readonly state: DeploymentState;
    /** 1 once every host has checked it, so that hosts may serve it. */
    readonly isChecked: 0 | 1;
    readonly note: string | null;
    readonly authorId: number;
    readonly idempotencyKey: string;
    readonly requestHash: string;
    readonly createdAt: number;
    readonly finishedAt: number | null;
  };
  readonly deploymentLines: {
    readonly environmentId: number;
    readonly number: number;
    /** Counts from 1 in each deployment. */
    readonly sequence: number;
    readonly at: number;
    readonly text: string;
  };
}
