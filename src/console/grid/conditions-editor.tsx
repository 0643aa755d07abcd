import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, isToOne, type VisibleCollection, type VisibleField } from '../model/schema.ts';
import { type FilterCondition, type FilterGroup, type FilterTree, isGroup } from './filter-tree.ts';
import styles from './grid.module.css';
import { OperandOrPlaceholder, shapeOf } from './operand-editor.tsx';

/** A condition that is begun: it has a value when its operator takes none, or when somebody has given one. */
function begun(path: string, field: VisibleField | undefined, wanted = field?.operators[0]?.operator): FilterCondition {
  const operator = wanted ?? 'equal';
  const takesNone = field?.operators.some((one) => one.operator === operator && one.value === 'none');
  return { field: path, operator, ...(takesNone ? { value: null } : {}) };
}

/** What somebody begins with: a condition on the first field that can be compared. */
export function freshCondition(collection: VisibleCollection): FilterCondition {
  const first = collection.fields.find(({ operators }) => operators.length > 0);
  return begun(first?.name ?? '', first);
}

/** The condition with another operator. Its value stays where that operator takes the same kind of value. */
function withOperator(condition: FilterCondition, field: VisibleField | undefined, operator: string): FilterCondition {
  const { value } = condition;
  const keepsValue = value !== undefined && shapeOf(field, operator) === shapeOf(field, condition.operator);
  return { ...begun(condition.field, field, operator), ...(keepsValue ? { value } : {}) };
}

/** A key for each part, which a part keeps when one before it is removed. */
function usePartKeys(count: number) {
  const kept = useRef({ keys: [] as number[], next: 0 });
  const { keys } = kept.current;
  while (keys.length < count) keys.push(kept.current.next++);
  keys.length = count;
  return { keyOf: (at: number) => keys[at], dropKey: (at: number) => void keys.splice(at, 1) };
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
  const { keyOf, dropKey } = usePartKeys(conditions.length);
  const replace = (at: number, part: FilterTree | undefined) => {
    if (!part) dropKey(at);
    onChange({ ...group, conditions: conditions.flatMap((one, index) => (index === at ? (part ?? []) : one)) });
    if (part) return;
    setAddedAt(undefined);
    addButton.current?.focus();
  };
  const add = (part: FilterTree) => {
    setAddedAt(conditions.length);
    onChange({ ...group, conditions: [...conditions, part] });
  };
  const fresh = freshCondition(collection);
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
          <div key={keyOf(index)}>
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
            key={keyOf(index)}
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
          // A dialog that opens with the condition looks for it.
          data-first={isNew ? '' : undefined}
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
      <OperatorChoice
        condition={condition}
        field={field}
        onChange={(operator) => onChange(withOperator(condition, field, operator))}
      />
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

interface OperatorChoiceProps {
  readonly condition: FilterCondition;
  readonly field: VisibleField | undefined;
  readonly onChange: (operator: string) => void;
}

/** The operators of a field, and the one that the condition has. */
function OperatorChoice({ condition, field, onChange }: OperatorChoiceProps) {
  const messages = useMessages();
  const known = field?.operators.map(({ operator }) => operator) ?? [];
  return (
    <select
      className={look.input}
      aria-label={messages.operator}
      value={condition.operator}
      onChange={({ target }) => onChange(target.value)}
    >
      {[...new Set([...known, condition.operator])].map((operator) => (
        <option key={operator} value={operator}>
          {operator.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  );
}
