import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, isToOne, type VisibleCollection, type VisibleField } from '../model/schema.ts';
import { ValueEditor } from '../values/editor.tsx';
import { editableText, isTextList, readTyped } from '../values/typed.ts';
import { askAgent, zone } from '../wire/agent.ts';
import { type FilterCondition, type FilterGroup, type FilterTree, isGroup } from './filter-tree.ts';
import styles from './grid.module.css';

/** A condition that is begun: it has a value when its operator takes none, or when somebody has given one. */
function begun(path: string, field: VisibleField | undefined, wanted = field?.operators[0]?.operator): FilterCondition {
  const operator = wanted ?? 'equal';
  const takesNone = field?.operators.some((one) => one.operator === operator && one.value === 'none');
  return { field: path, operator, ...(takesNone ? { value: null } : {}) };
}

interface ConditionsEditorProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly group: FilterGroup;
  /** What may stand for a value, such as `{{currentUser.email}}`. An operand is a value or one of these. */
  readonly placeholders?: readonly string[];
  /** Whether somebody has just added it: its first condition takes the focus then. */
  readonly isNew?: boolean;
  readonly onChange: (group: FilterGroup) => void;
}

/** Conditions of every operator, nested, and through relations. */
export function ConditionsEditor({
  environment,
  collection,
  group,
  placeholders = [],
  isNew = false,
  onChange,
}: ConditionsEditorProps) {
  const messages = useMessages();
  const { conditions } = group;
  const addButton = useRef<HTMLButtonElement>(null);
  /** Where somebody has just added a part: it takes the focus. */
  const [addedAt, setAddedAt] = useState<number>();
  const replace = (at: number, part: FilterTree | undefined) => {
    onChange({ ...group, conditions: conditions.flatMap((one, index) => (index === at ? (part ?? []) : one)) });
    if (part) return;
    setAddedAt(undefined);
    addButton.current?.focus();
  };
  const add = (part: FilterTree) => {
    setAddedAt(conditions.length);
    onChange({ ...group, conditions: [...conditions, part] });
  };
  const [first] = collection.fields.filter(({ operators }) => operators.length > 0);
  const fresh = begun(first?.name ?? '', first);
  return (
    <div className={styles['group']}>
      <div className={look.row}>
        {(['and', 'or'] as const).map((aggregator) => (
          <Button
            key={aggregator}
            look="quiet"
            aria-pressed={group.aggregator === aggregator}
            onClick={() => onChange({ ...group, aggregator })}
          >
            {aggregator === 'and' ? messages.all : messages.any}
          </Button>
        ))}
      </div>
      {conditions.map((part, index) =>
        isGroup(part) ? (
          <div key={keyOf(part, index)}>
            <ConditionsEditor
              environment={environment}
              collection={collection}
              group={part}
              placeholders={placeholders}
              isNew={index === addedAt}
              onChange={(next) => replace(index, next)}
            />
            <Button look="quiet" onClick={() => replace(index, undefined)}>
              {messages.remove(messages.filters)}
            </Button>
          </div>
        ) : (
          <ConditionEditor
            key={keyOf(part, index)}
            environment={environment}
            collection={collection}
            condition={part}
            placeholders={placeholders}
            isNew={index === addedAt || (isNew && index === 0)}
            onChange={(next) => replace(index, next)}
          />
        ),
      )}
      <div className={look.row}>
        <Button ref={addButton} onClick={() => add(fresh)}>
          {messages.addCondition}
        </Button>
        <Button look="quiet" onClick={() => add({ aggregator: 'or', conditions: [fresh] })}>
          {messages.addGroup}
        </Button>
      </div>
    </div>
  );
}

interface ConditionEditorProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly condition: FilterCondition;
  readonly placeholders: readonly string[];
  readonly isNew: boolean;
  readonly onChange: (condition: FilterCondition | undefined) => void;
}

function ConditionEditor({ environment, collection, condition, placeholders, isNew, onChange }: ConditionEditorProps) {
  const messages = useMessages();
  const [first = '', second] = condition.field.split(':');
  const relation = collection.relations.find(({ name }) => name === first);
  const foreign = useQuery({
    ...collectionQuery({ environment }, relation?.collection ?? ''),
    enabled: relation !== undefined,
  });
  const owner = relation ? foreign.data : collection;
  const field = owner?.fields.find(({ name }) => name === (relation ? second : first));
  const choose = (path: string, of: VisibleField | undefined) => onChange(begun(path, of));
  const fields = collection.fields.filter(({ operators }) => operators.length > 0);
  return (
    <div className={styles['condition']}>
      <span className={look.row}>
        <select
          className={look.input}
          aria-label={messages.field}
          // biome-ignore lint/a11y/noAutofocus: somebody has just asked for the condition.
          autoFocus={isNew}
          value={first}
          onChange={({ target }) =>
            choose(
              target.value,
              fields.find(({ name }) => name === target.value),
            )
          }
        >
          {fields.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
          {collection.relations.filter(isToOne).map(({ name }) => (
            <option key={name} value={name}>{`${name} →`}</option>
          ))}
        </select>
        {relation && (
          <select
            className={look.input}
            aria-label={`${relation.name}: ${messages.field}`}
            value={second ?? ''}
            onChange={({ target }) =>
              choose(
                `${first}:${target.value}`,
                owner?.fields.find(({ name }) => name === target.value),
              )
            }
          >
            <option value="" />
            {owner?.fields.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </span>
      <select
        className={look.input}
        aria-label={messages.operator}
        value={condition.operator}
        onChange={({ target }) => onChange(begun(condition.field, field, target.value))}
      >
        {[...new Set([...(field?.operators ?? []).map(({ operator }) => operator), condition.operator])].map(
          (operator) => (
            <option key={operator} value={operator}>
              {operator.replaceAll('_', ' ')}
            </option>
          ),
        )}
      </select>
      {field && owner ? (
        <OperandOrPlaceholder
          environment={environment}
          owner={owner.name}
          field={field}
          condition={condition}
          placeholders={placeholders}
          onChange={onChange}
        />
      ) : (
        <span />
      )}
      <Button look="quiet" aria-label={messages.remove(condition.field)} onClick={() => onChange(undefined)}>
        ×
      </Button>
    </div>
  );
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
function OperandOrPlaceholder({
  placeholders,
  ...props
}: OperandEditorProps & Pick<ConditionEditorProps, 'placeholders'>) {
  const { operand } = useMessages();
  const { condition, field, onChange } = props;
  const takesNone = field.operators.some((one) => one.operator === condition.operator && one.value === 'none');
  if (placeholders.length === 0 || takesNone) return <OperandEditor {...props} />;
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
      {chosen === undefined && <OperandEditor {...props} />}
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
  const shape = field.operators.find(({ operator }) => operator === condition.operator)?.value ?? 'one';
  const type =
    shape === 'list' ? [field.type] : shape === 'text' ? 'String' : shape === 'integer' ? 'Number' : field.type;
  const hint = useId();
  const operand = { type, isExact: field.isExact && shape === 'one' };
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

function keyOf(part: FilterTree, index: number): string {
  return isGroup(part) ? `group ${index}` : `condition ${index}`;
}
