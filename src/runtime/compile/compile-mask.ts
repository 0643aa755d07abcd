import type { DeclarationOf } from '../customizer/declaration.ts';
import type { Mask } from '../customizer/field-definition.ts';
import { ownMasks } from '../model/masks.ts';
import { customizationFailed, legibleThrown } from '../user-code/call-handler.ts';
import { refusalOf } from '../user-code/refusal-of.ts';
import { handlerNames } from '../user-code/running-code.ts';

/** Put a mask among those of the agent, or say what is wrong with it. */
export function addMask(
  masks: Map<string, Mask>,
  { name, mask }: DeclarationOf<'mask'>,
  refuse: (fault: string) => void,
): void {
  if (typeof name !== 'string' || name.trim() === '') refuse('The agent has a mask that needs a name.');
  else if (typeof mask !== 'function') refuse(`The mask "${name}" is not a function.`);
  else if (Object.hasOwn(ownMasks, name))
    refuse(`The mask "${name}" is one that every agent has. Call yours another name.`);
  else if (masks.has(name)) refuse(`The agent has a mask "${name}" already.`);
  else masks.set(name, checkedMask(name, mask));
}

/** A mask that fails, or makes no text, shows nothing. */
function checkedMask(name: string, mask: (value: unknown) => unknown): Mask {
  const subject = `The mask "${name}"`;
  return (value) => {
    const shown = called(subject, () => mask(value));
    if (typeof shown === 'string') return shown;
    throw customizationFailed(`${subject} returned something that is not a text.`);
  };
}

function called(subject: string, call: () => unknown): unknown {
  try {
    return handlerNames.run(subject, call);
  } catch (thrown) {
    const error = legibleThrown(thrown);
    throw refusalOf(error) ?? customizationFailed(`${subject} threw an error.`, error);
  }
}
