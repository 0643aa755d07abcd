import { type Activity, type ActivityAction, activityLimits, activityTypes } from '#contracts/activity';

/** What a request does, as far as it is known when it begins. Names and ids only: no values, no filters, no search texts. */
export interface ActivityFacts {
  readonly action: ActivityAction;
  readonly label: string | undefined;
  readonly collection: string;
  /** `undefined` where it is about all records that match. */
  readonly recordIds: readonly string[] | undefined;
  readonly userId: number;
  readonly renderingId: number;
  readonly correlationId: string;
}

/**
 * The activity of these facts as JSON, everything in it as short as the platform takes it.
 *
 * @param recordIds those of the facts, unless only the end of the request tells them.
 */
export function activityText(
  facts: ActivityFacts,
  { id, occurredAt, status }: Pick<Activity, 'id' | 'occurredAt' | 'status'>,
  recordIds: ActivityFacts['recordIds'],
): string {
  const { nameLength, recordIdLength, correlationIdLength } = activityLimits;
  const ids = (recordIds ?? []).slice(0, activityLimits.recordIds);
  return JSON.stringify({
    id,
    occurredAt,
    type: activityTypes[facts.action],
    action: facts.action,
    label: facts.label?.slice(0, nameLength),
    collection: facts.collection.slice(0, nameLength),
    recordIds: ids.map((recordId) => recordId.slice(0, recordIdLength)),
    recordCount: recordIds?.length ?? null,
    userId: facts.userId,
    renderingId: facts.renderingId,
    correlationId: facts.correlationId.slice(0, correlationIdLength),
    status,
  } satisfies Record<keyof Activity, unknown>);
}
