import type { FlowContext } from '#flows/flow-context';
import { type FormField, valueOfText } from '#flows/run/action-form';
import { CloudError } from '#kernel/errors/cloud-error';

/**
 * Ask the person at the terminal for fields of a form. Without a terminal, the error says which command gives them.
 *
 * @param command The command as it was called, to be completed.
 */
export function askForFields(context: FlowContext, isJson: boolean, command: readonly string[]) {
  return async (fields: readonly FormField[]): Promise<ReadonlyMap<string, unknown>> => {
    if (!context.isInteractive || isJson) throw fieldsMissing(fields, command);
    const { default: inquirer } = await import('inquirer');
    const values = new Map<string, unknown>();
    for (const field of fields) {
      const { answer } = await inquirer.prompt<{ answer: string | boolean }>([questionFor(field)]);
      if (typeof answer === 'boolean') values.set(field.field, answer);
      else if (answer !== '') values.set(field.field, valueOfText(field, answer));
      else if (field.isRequired) context.reporter.warn(`${field.field} needs a value.`);
    }
    return values;
  };
}

function questionFor(field: FormField) {
  const { label = field.field, description, enums, type, value } = field;
  const message = `${label}${description === undefined ? '' : ` (${description})`}:`;
  if (type === 'Boolean') return { type: 'confirm', name: 'answer', message, default: value === true } as const;
  if (type === 'Enum' && enums) {
    return { type: 'select', name: 'answer', message, choices: [...enums], default: value } as const;
  }
  return {
    type: 'input',
    name: 'answer',
    message,
    ...(value === undefined || value === null ? {} : { default: String(value) }),
    validate: (text: string) => problemOf(field, text) ?? true,
  } as const;
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

function fieldsMissing(fields: readonly FormField[], command: readonly string[]): CloudError {
  const required = fields.filter(({ isRequired }) => isRequired);
  const flags = required.flatMap(({ field, type, enums }) => [
    '--set',
    `${field}=<${enums?.join('|') ?? (Array.isArray(type) ? type.join() : type)}>`,
  ]);
  const words = ['vendor-cloud', ...command, ...flags].map(quoted);
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `The form needs ${required.map(({ field }) => field).join(', ')}, and there is no terminal to ask for it.`,
    nextSteps: [words.join(' ')],
  });
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
