import type { Generated } from 'kysely';
import type { Activity } from '#contracts/activity';

export interface ActivityTables {
  readonly activities: {
    /** In the order in which they arrived. */
    readonly position: Generated<number>;
    readonly environmentId: number;
    readonly id: string;
    readonly occurredAt: number;
    readonly receivedAt: number;
    readonly type: Activity['type'];
    readonly action: Activity['action'];
    readonly label: string | null;
    readonly collection: string;
    /** JSON. */
    readonly recordIds: string;
    readonly recordCount: number | null;
    readonly userId: number;
    readonly renderingId: number;
    readonly correlationId: string;
    readonly status: Activity['status'];
  };
}
