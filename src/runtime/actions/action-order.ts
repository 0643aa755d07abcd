import type { CompiledAction, CompiledCollection } from '../model/compiled-model.ts';
import type { SignedApproval } from '../permissions/signed-approvals.ts';
import type { RecordQuery } from '../records/request/record-service.ts';

/** An action of a collection. */
export interface ActionTarget {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
}

/** The records that somebody selected for an action, in published names. A Global action has the filters alone. */
export interface ActionSelection extends Omit<RecordQuery, 'projection' | 'sort' | 'page'> {
  /** How many records the selection lists by their ids; `undefined` when it is about all that match. */
  readonly listed: number | undefined;
}

/** The input of an action. */
export interface RunInput {
  readonly selection: ActionSelection;
  /** The form values by field id, as the client sent them: keys packed, files as data URIs. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A signed request to run an action, which the caller approves. */
export interface ActionApproval extends Pick<SignedApproval, 'spend'> {
  /** The person who asked for the approval; `undefined` for a request of the caller's own, which counts as no approval. */
  readonly requesterId: number | undefined;
  /** The collection in the signed request; a request without one is for any. */
  readonly collection: unknown;
  /** The id of the action in the signed request; a request without one is for any. */
  readonly actionId: unknown;
}
