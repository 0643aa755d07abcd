import { CloudError } from '#kernel/errors/cloud-error';
import type { AnyActionDefinition } from './action-definition.ts';
import type { Agent } from './agent.ts';
import { callSiteOf } from './call-site.ts';
import type { CollectionChart } from './chart-definition.ts';
import type { CollectionCustomizer, SegmentDefinition } from './collection-customizer.ts';
import type { Declaration } from './declaration.ts';
import type { AnyFieldDefinition } from './field-definition.ts';

export interface DeclarationRecorder {
  /** What the customization code is called with. */
  readonly agent: Agent;
  /** Every declaration, once the async callbacks are done; rejects with what one of them rejected with. */
  finish(): Promise<readonly Declaration[]>;
}

/** Collects the declarations of customization code, without looking at a database. */
export function createDeclarationRecorder(): DeclarationRecorder {
  const declarations: Declaration[] = [];
  const pending: unknown[] = [];
  let isFinished = false;

  const record = (declaration: Declaration): void => {
    if (isFinished) throw declaredTooLate(declaration);
    declarations.push(declaration);
  };

  const agent: Agent = {
    customizeCollection(name, customize) {
      record({ kind: 'collection', collection: name, ...locationOf(agent.customizeCollection) });
      pending.push(customize(collectionRecorder(name, record)));
      return agent;
    },
    addChart(name, definition) {
      record({ kind: 'agent-chart', name, definition, ...locationOf(agent.addChart) });
      return agent;
    },
  };
  return {
    agent,
    finish: async () => {
      await Promise.all(pending);
      isFinished = true;
      return declarations;
    },
  };
}

function collectionRecorder(collection: string, record: (declaration: Declaration) => void): CollectionCustomizer {
  const customizer: CollectionCustomizer = {
    addField(name, definition) {
      const location = locationOf(customizer.addField);
      record({ kind: 'field', collection, name, definition: definition as AnyFieldDefinition, ...location });
      return customizer;
    },
    addSegment(name, definition) {
      const location = locationOf(customizer.addSegment);
      record({ kind: 'segment', collection, name, definition: definition as SegmentDefinition, ...location });
      return customizer;
    },
    addAction(name, definition) {
      const location = locationOf(customizer.addAction);
      record({ kind: 'action', collection, name, definition: definition as AnyActionDefinition, ...location });
      return customizer;
    },
    addChart(name, definition) {
      const location = locationOf(customizer.addChart);
      record({ kind: 'chart', collection, name, definition: definition as CollectionChart, ...location });
      return customizer;
    },
  };
  return customizer;
}

function locationOf(method: Parameters<typeof callSiteOf>[0]): Pick<Declaration, 'location'> {
  const location = callSiteOf(method);
  return location ? { location } : {};
}

function declaredTooLate(declaration: Declaration): CloudError {
  const what =
    declaration.kind === 'agent-chart'
      ? `The chart "${declaration.name}" was added`
      : `The collection "${declaration.collection}" was customized`;
  return new CloudError({
    code: 'CUSTOMIZATION_INVALID',
    message: `${what} after the agent had started.`,
    nextSteps: ['Await everything inside the exported function before it returns.'],
  });
}
