import { type GeneratedNames, variableName } from './generated-names.ts';

/** What the code is about. */
export interface CodeQuestion {
  readonly names: GeneratedNames;
  /** The collection of the code, and a column of it that every record has. */
  readonly collection: { readonly name: string; readonly names: GeneratedNames; readonly column: string };
  /** From the module to the generated types: `../../typings.js`. */
  readonly typings: string;
  /** What runs the test. */
  readonly testCommand: string;
}

export interface GeneratedModule {
  readonly exported: string;
  readonly text: string;
  /** A plugin, which the agent uses; else a function of the agent. */
  readonly isPlugin?: boolean;
}

interface GeneratedCode {
  /** Absent if there is only a test. */
  readonly module?: GeneratedModule;
  readonly test: string;
}

export type WriteCode = (question: CodeQuestion) => GeneratedCode;

/** What a module that customizes a collection exports: `addRefundToOrders`. */
export function collectionFunction({ names, collection }: CodeQuestion): string {
  return `add${names.pascal}To${collection.names.pascal}`;
}

/** A module that customizes a collection. */
export function collectionModule(question: CodeQuestion, doc: string, declaration: string): string {
  const { collection, typings } = question;
  const parameter = variableName(collection.names, 'Collection');
  return `import type { Agent } from '@vendor/cloud';
import type { Schema } from '${typings}';

/** ${doc} */
export function ${collectionFunction(question)}(agent: Agent<Schema>): void {
  agent.customizeCollection(${text(collection.name)}, (${parameter}) =>
    ${parameter}.${declaration.replaceAll('\n', '\n    ')},
  );
}
`;
}

/** A test file; `body` may call \`ask\`. */
export function testModule({ testCommand }: Pick<CodeQuestion, 'testCommand'>, title: string, body: string): string {
  return `import assert from 'node:assert/strict';
import { env } from 'node:process';
import { test } from 'node:test';

// Run it with: ${testCommand}
const { SERVICE_AGENT_URL, SERVICE_AGENT_TOKEN } = env;

async function ask(path: string, body?: unknown) {
  const response = await fetch(\`\${SERVICE_AGENT_URL}\${path}\`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: \`Bearer \${SERVICE_AGENT_TOKEN}\`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

test(${text(title)}, async () => {
  ${body.trim().replaceAll('\n', '\n  ')}
});
`;
}

/** A text in single quotes. */
export function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
