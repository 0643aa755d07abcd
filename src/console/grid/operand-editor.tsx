import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleField } from '../model/schema.ts';
import { ValueEditor } from '../values/editor.tsx';
import { editableText, isTextList, readTyped } from '../values/typed.ts';
import { askAgent, zone } from '../wire/agent.ts';
import type { FilterCondition } from './filter-tree.ts';
import styles from './grid.module.css';

/** What an operator takes. */
export function shapeOf(field: VisibleField | undefined, operator: string) {
  return field?.operators.find((each) => each.operator === operator)?.value ?? 'one';
}

interface OperandEditorProps {
  readonly environment: string;
  /** The collection of the field. */
  readonly owner: string;
  readonly field: VisibleField;
  readonly condition: FilterCondition;
  readonly onChange: (condition: FilterCondition) => void;
}

/** A value, or what stands for one. A placeholder of a name that is typed ends with `*`. */
export function OperandOrPlaceholder({
  placeholders,
  ...props
}: OperandEditorProps & { readonly placeholders: readonly string[] }) {
  const { operand } = useMessages();
  const { condition, field, onChange } = props;
  const takesNone = field.operators.some((one) => one.operator === condition.operator && one.value === 'none');
  // What is typed belongs to a field and to a kind of value: for another one, it begins again.
  const key = `${condition.field} ${shapeOf(field, condition.operator)}`;
  if (placeholders.length === 0 || takesNone) return <OperandEditor key={key} {...props} />;
  const chosen = placeholderIn(condition.value, placeholders);
  const label = `${operand.kind}: ${condition.field}`;
  return (
    <span className={styles['operand']}>
      <select
        className={look.input}
        aria-label={label}
        value={chosen?.placeholder ?? ''}
        onChange={({ target }) =>
          onChange({ ...condition, value: target.value === '' ? undefined : target.value.replace('*', '') })
        }
      >
        <option value="">{operand.value}</option>
        {placeholders.map((placeholder) => (
          <option key={placeholder} value={placeholder}>
            {placeholder.replace('*', '…')}
          </option>
        ))}
      </select>
      {chosen === undefined && <OperandEditor key={key} {...props} />}
      {chosen?.name !== undefined && (
        <input
          className={look.input}
          aria-label={operand.name(condition.field)}
          value={chosen.name}
          onChange={({ target }) =>
            onChange({ ...condition, value: chosen.placeholder.replace('*', () => target.value) })
          }
        />
      )}
    </span>
  );
}

interface ChosenPlaceholder {
  readonly placeholder: string;
  /** Where the placeholder is of a name that is typed. */
  readonly name?: string;
}

function placeholderIn(value: unknown, placeholders: readonly string[]): ChosenPlaceholder | undefined {
  if (typeof value !== 'string') return undefined;
  for (const placeholder of placeholders) {
    const [start = '', end] = placeholder.split('*');
    if (end === undefined ? value === placeholder : value.startsWith(start) && value.endsWith(end)) {
      return {
        placeholder,
        ...(end === undefined ? {} : { name: value.slice(start.length, value.length - end.length) }),
      };
    }
  }
  return undefined;
}

/** What an operator takes: nothing, a value, a list, a text or a whole number. */
function OperandEditor({ environment, owner, field, condition, onChange }: OperandEditorProps) {
  const messages = useMessages();
  const shape = shapeOf(field, condition.operator);
  const type =
    shape === 'list' ? [field.type] : shape === 'text' ? 'String' : shape === 'integer' ? 'Number' : field.type;
  const hint = useId();
  const isDuration = field.isDuration === true && shape === 'one';
  const operand = { type, isExact: field.isExact && shape === 'one', isDuration };
  const [text, setText] = useState<string | null>(() => editableText(condition.value, operand, zone()));
  const isText = field.type === 'String' && shape === 'one';
  const values = useQuery({
    queryKey: ['rows', environment, owner, 'values', field.name, text],
    enabled: isText && field.enumValues === null,
    queryFn: ({ signal }) =>
      askAgent<{ values: readonly { value: unknown }[] }>(
        { environment },
        ['_internal', 'values', owner],
        { field: field.name, search: text || undefined },
        { signal },
      ),
    placeholderData: (before) => before,
  });
  if (shape === 'none') return <span />;
  const label = `${messages.value}: ${condition.field}`;
  if (shape === 'list' && field.enumValues) {
    return (
      <ChosenValues
        label={label}
        known={field.enumValues}
        chosen={Array.isArray(condition.value) ? condition.value : []}
        onChange={(value) => onChange({ ...condition, value: value.length > 0 ? value : undefined })}
      />
    );
  }
  const editor = (
    <ValueEditor
      id={`operand ${condition.field}`}
      label={label}
      type={type}
      isDuration={isDuration}
      describedBy={shape === 'list' ? hint : undefined}
      enumValues={shape === 'one' ? field.enumValues : null}
      text={text}
      isNullable={false}
      isInvalid={false}
      suggestions={values.data?.values.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])) ?? []}
      onChange={(next) => {
        setText(next);
        const read = readTyped(next ?? '', operand, zone(), messages.typed);
        onChange({ ...condition, value: 'value' in read ? read.value : next });
      }}
    />
  );
  if (shape !== 'list') return editor;
  return (
    <div>
      {editor}
      <p id={hint} className={look.small}>
        {isTextList(type) ? messages.oneALine : messages.jsonList}
      </p>
    </div>
  );
}

interface ChosenValuesProps {
  readonly label: string;
  readonly known: readonly string[];
  readonly chosen: readonly unknown[];
  readonly onChange: (chosen: readonly unknown[]) => void;
}

/** Some of a few values. One that is not among them stays until somebody clears it. */
function ChosenValues({ label, known, chosen, onChange }: ChosenValuesProps) {
  return (
    <fieldset className={look.choices} aria-label={label}>
      {[...known, ...chosen.filter((value) => !known.some((one) => one === value))].map((value) => (
        <label key={String(value)}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />{' '}
          <bdi>{String(value)}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
