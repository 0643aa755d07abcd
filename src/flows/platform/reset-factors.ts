import { resetFactorsInStore } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';

interface ResetInput {
  readonly store: StorePlace;
  readonly email: string;
  readonly confirm: (person: { readonly email: string; readonly place: string }) => Promise<boolean>;
}

interface ResetInStore {
  readonly email: string;
  /** The store. */
  readonly place: string;
  /** `false` where somebody said no. */
  readonly isReset: boolean;
}

/** Reset the second factors of somebody in the store of a platform, on its machine. Rejects with `REQUEST_NOT_FOUND`. */
export async function resetFactorsOfStore(
  { clock, random }: FlowContext,
  { store, email, confirm }: ResetInput,
): Promise<ResetInStore> {
  const person = { email, place: store.name };
  const reset = await resetFactorsInStore(store.address, { email, clock, random, confirm: () => confirm(person) });
  return { ...person, isReset: reset !== undefined };
}
