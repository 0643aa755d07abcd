import type { HookContext, HookContexts, HookPosition, HookType } from '../../customizer/hook-definition.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { callHandler } from '../../user-code/call-handler.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';

/** The facts that a hook gets in addition to those of every handler. */
export type HookFacts<P extends HookPosition, T extends HookType> = Omit<HookContexts[P][T], keyof HookContext>;

export function hasHooks({ hooks }: CompiledCollection, position: HookPosition, type: HookType): boolean {
  return hooks.some((hook) => hook.position === position && hook.type === type);
}

/** Run the hooks of one place, one after the other in the order of their declarations; the first that throws ends it. */
export async function runHooks<P extends HookPosition, T extends HookType>(
  engine: RecordEngine,
  collection: CompiledCollection,
  position: P,
  type: T,
  facts: HookFacts<P, T>,
  call: CallContext,
): Promise<void> {
  // A hook decides about what it reads.
  const fromPrimary = call.reads ? { ...call, reads: call.reads.atPrimary } : call;
  for (const hook of collection.hooks) {
    if (hook.position !== position || hook.type !== type) continue;
    const subject = `The hook ${position} ${type} of "${collection.name}"`;
    const context = { ...engine.contextOf(collection, fromPrimary), ...facts };
    await callHandler(subject, () => hook.handler(context));
  }
}
