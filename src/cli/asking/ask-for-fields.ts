import { choicesOf, type FormField, valueOfItems, valueOfText } from '#flows/run/form-field-values';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { CliContext } from '../invocation/cli-context.ts';
import { nextCommand } from '../terminal/next-command.ts';
import type { Prompts } from '../terminal/prompts.ts';

/**
 * Ask the person at the terminal for fields of a form. Without a terminal, the error says which command gives them.
 *
 * @param called The command as it was called, to be completed.
 */
export function askForFields(
  { isInteractive, prompts, reporter }: Pick<CliContext, 'isInteractive' | 'prompts' | 'reporter'>,
  called: readonly string[],
) {
  return async (fields: readonly FormField[]): Promise<ReadonlyMap<string, unknown>> => {
    if (!isInteractive) throw fieldsMissing(fields, called);
    const values = new Map<string, unknown>();
    for (const field of fields) {
      const answer = await askFor(prompts, field);
      if (typeof answer === 'boolean') values.set(field.field, answer);
      else if (typeof answer === 'object') values.set(field.field, valueOfItems(field, answer));
      else if (answer !== '') values.set(field.field, valueOfText(field, answer));
      else if (field.isRequired) reporter.warn(`${field.field} needs a value.`);
    }
    return values;
  };
}

const noChoice = { name: '(none)', value: '' };

function askFor(prompts: Prompts, field: FormField): Promise<string | boolean | readonly string[]> {
  const { label = field.field, description, isRequired, type, value } = field;
  const message = `${label}${description === undefined ? '' : ` (${description})`}:`;
  const preferred = value === undefined || value === null ? undefined : String(value);
  if (type === 'Boolean') return prompts.confirm(message, value === true);
  const choices = choicesOf(field);
  if (choices && Array.isArray(type)) {
    return prompts.chooseSeveral(message, choices, {
      isRequired,
      preferred: Array.isArray(value) ? value.map(String) : [],
    });
  }
  if (choices) return prompts.choose(message, isRequired ? choices : [noChoice, ...choices], preferred);
  return prompts.text(message, { preferred, problemOf: (text) => problemOf(field, text) });
}

function problemOf(field: FormField, text: string): string | undefined {
  if (text === '') return field.isRequired ? 'It needs a value.' : undefined;
  try {
    valueOfText(field, text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function fieldsMissing(fields: readonly FormField[], called: readonly string[]): CloudError {
  const required = fields.filter(({ isRequired }) => isRequired);
  const flags = required.flatMap((field) => ['--set', `${field.field}=<${wantedText(field)}>`]);
  return cloudError(
    'USAGE_INVALID',
    `The form needs ${required.map(({ field }) => field).join(', ')}, and there is no terminal to ask for it.`,
    nextCommand(called, ...flags),
  );
}

function wantedText(field: FormField): string {
  const choices = choicesOf(field);
  if (choices) return choices.map(({ value }) => value).join('|');
  return Array.isArray(field.type) ? field.type.join() : field.type;
}
