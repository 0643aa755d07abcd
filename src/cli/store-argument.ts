import { type StorePlace, storePlace } from '#flows/platform/store-place';
import type { CliContext } from './context.ts';
import type { Session } from './session.ts';

/** The store that a flag names. A password is taken from the flag's variable only. */
export function storeFrom(session: Session, context: CliContext, address: string, variable: string): StorePlace {
  const isArgument = session.environment.arguments.some((word) => word.includes(address));
  return storePlace(context, address, isArgument, variable);
}
