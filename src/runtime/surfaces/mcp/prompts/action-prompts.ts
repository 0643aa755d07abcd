import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CompiledAction, CompiledCollection } from '../../../model/compiled-model.ts';
import { describeActions } from '../tools/collection-description.ts';
import { visibleCollections } from '../tools/permitted-collections.ts';
import type { PersonalCall } from '../tools/tool.ts';

const maxPrompts = 200;

/** An action that the caller may trigger. */
interface PromptedAction {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
  readonly prompt: Prompt;
}

/** A prompt for each action that the caller may trigger, in collections that they may browse. */
export async function listActionPrompts(call: PersonalCall): Promise<Prompt[]> {
  const prompted = await promptedActions(call);
  return prompted.slice(0, maxPrompts).map(({ prompt }) => prompt);
}

/** The request to run an action. Throws a `ProtocolError` for a prompt that there is not, or without its records. */
export async function getActionPrompt(
  name: string,
  { recordIds }: Readonly<Record<string, string>>,
  call: PersonalCall,
): Promise<GetPromptResult> {
  const found = (await promptedActions(call)).find(({ prompt }) => prompt.name === name);
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}".`);
  const { collection, action, prompt } = found;
  if (action.definition.scope !== 'Global' && !recordIds) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt "${name}" needs the argument "recordIds".`);
  }
  const records =
    action.definition.scope === 'Global' ? '' : ` on the records with the ids ${JSON.stringify(recordIds)}`;
  const text = `Run the action ${JSON.stringify(action.name)} of the collection ${JSON.stringify(collection.name)}${records}. Call getActionForm first and ask me for the values that it requires. Then call executeAction.`;
  const { description } = prompt;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

async function promptedActions(call: PersonalCall): Promise<PromptedAction[]> {
  const rights = await call.state.authoriser.rightsOf(call.claims);
  return (await visibleCollections(call)).flatMap((collection) => {
    const allowed = new Map(describeActions(collection, rights).map((described) => [described.name, described]));
    return [...collection.actions.values()].flatMap((action): PromptedAction[] => {
      const described = allowed.get(action.name);
      return described ? [{ collection, action, prompt: promptOf(collection, action, described.description) }] : [];
    });
  });
}

function promptOf(collection: CompiledCollection, { name, definition }: CompiledAction, description?: string): Prompt {
  const argument = { name: 'recordIds', description: 'Ids of the records, separated by commas.', required: true };
  return {
    name: `${collection.name}.${name}`,
    title: `${collection.name}: ${name}`,
    ...(description === undefined ? {} : { description }),
    ...(definition.scope === 'Global' ? {} : { arguments: [argument] }),
  };
}
