import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { aiSettings, aiTwice } from '../ai/ai-settings.ts';
import type { CollectionSchema } from '../query/collection-schema.ts';
import { CallSite } from '../user-code/call-site.ts';
import type { Agent, CollectionCustomizer, PluginAgent } from './agent.ts';
import { type CollectionOutline, outlineOf } from './collection-outline.ts';
import { createCollectionCustomizer } from './create-collection-customizer.ts';
import type { Declaration } from './declaration.ts';
import type { DeclarationSink } from './declaration-sink.ts';
import type { AnySchema } from './schema-types.ts';

/** Asks an agent for one whose calls count as made at a place: an application declares before anything is collected. */
export const calledAt = Symbol('called at');

export interface CollectingAgent extends PluginAgent {
  [calledAt](site: CallSite): Agent;
}

export interface DeclarationCollector {
  /** The object that the customization code is called with. */
  readonly agent: CollectingAgent;
  /** Every declaration, once the async callbacks are done; rejects with what one of them rejected with. */
  finish(): Promise<readonly Declaration[]>;
}

/**
 * Collects the declarations of customization code, without looking at a database.
 *
 * @param collections those of the data sources, for plugins.
 */
export function createDeclarationCollector(collections: readonly CollectionSchema[] = []): DeclarationCollector {
  let outlines: readonly CollectionOutline[] | undefined;
  const declarations: Declaration[] = [];
  const pending: unknown[] = [];
  let isFinished = false;

  const add = (declaration: Declaration): void => {
    if (isFinished) throw declaredTooLate(declaration);
    declarations.push(declaration);
  };
  const waitFor = (result: unknown): void => {
    pending.push(result);
    // The promise may reject while an earlier one is still awaited. That must not end the process.
    Promise.resolve(result).catch(() => undefined);
  };
  const agentAt = (site: CallSite | undefined): CollectingAgent => {
    const siteOf = (method: ConstructorParameters<typeof CallSite>[0]) => site ?? new CallSite(method);
    const own: CollectingAgent = {
      customizeCollection(name, customize) {
        add({ kind: 'collection', collection: name, site: siteOf(own.customizeCollection) });
        // Without a schema, the customizers of all collections take the same.
        waitFor(customize(createCollectionCustomizer(name, sink) as CollectionCustomizer<AnySchema, typeof name>));
        return own;
      },
      addChart(name, definition) {
        add({ kind: 'agent chart', name, definition, site: siteOf(own.addChart) });
        return own;
      },
      addMask(name, mask) {
        add({ kind: 'mask', name, mask, site: siteOf(own.addMask) });
        return own;
      },
      addAi(provider, options = {}) {
        if (declarations.some(({ kind }) => kind === 'ai')) throw aiTwice();
        add({ kind: 'ai', settings: aiSettings(provider, options), site: siteOf(own.addAi) });
        return own;
      },
      removeCollection(...names) {
        const calledFrom = siteOf(own.removeCollection);
        for (const collection of names) add({ kind: 'remove collection', collection, site: calledFrom });
        return own;
      },
      use(plugin, options) {
        waitFor(plugin(agent, undefined, options));
        return own;
      },
      get collections() {
        outlines ??= collections.map(outlineOf);
        return outlines;
      },
      [calledAt]: agentAt,
    };
    return own;
  };
  const agent = agentAt(undefined);
  const sink: DeclarationSink = { agent, add, await: waitFor };
  return {
    agent,
    finish: async () => {
      // A callback may start others while it is awaited.
      for (let next = 0; next < pending.length; next += 1) await pending[next];
      isFinished = true;
      return declarations;
    },
  };
}

function declaredTooLate(declaration: Declaration): CloudError {
  return cloudError(
    'CUSTOMIZATION_INVALID',
    `${toldOf(declaration)} after the agent had started.`,
    'Await everything inside the exported function before it returns.',
  );
}

function toldOf(declaration: Declaration): string {
  if (declaration.kind === 'ai') return 'The AI provider was added';
  if (declaration.kind === 'mask') return `The mask "${declaration.name}" was added`;
  if (declaration.kind === 'agent chart') return `The chart "${declaration.name}" was added`;
  return `The collection "${declaration.collection}" was customized`;
}
