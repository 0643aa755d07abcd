import { memo, useId } from 'react';
import { FileInput } from '../action/file-input.tsx';
import { Button, look } from '../design/controls.tsx';
import { useStable } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection, VisibleField, VisibleRelation } from '../model/schema.ts';
import { ValueEditor } from '../values/editor.tsx';
import { RecordPicker } from '../values/record-picker.tsx';
import { titleOf } from '../values/value.tsx';
import type { AgentAddress } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import type { RelatedRow, Row } from '../wire/records.ts';
import { type Draft, editableFields, editableRelations, textOfField, withLink, withText } from './form-state.ts';
import styles from './record.module.css';

export interface FieldFormProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  /** Absent for a new record. */
  readonly row?: Row;
  readonly draft: Draft;
  /** What the server or the form has against a value, by field. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (draft: Draft) => void;
  /** Makes a record for a relation to lead to. */
  readonly onNew: (relation: VisibleRelation) => void;
}

/** The fields of a record in one column: label above, hint below, error below in words. */
export function FieldForm(props: FieldFormProps) {
  const { collection, row, draft, problems, onChange } = props;
  const messages = useMessages();
  // A form over this one may have fields of the same names.
  const prefix = useId();
  const type = useStable((field: VisibleField, text: string | null) => onChange(withText(draft, field, text, row)));
  return (
    <div className={styles['form']}>
      {editableFields(collection, row === undefined).map((field) => (
        <FieldRow
          key={field.name}
          id={`${prefix}${field.name}`}
          field={field}
          text={textOfField(draft, field, row)}
          isChanged={Object.hasOwn(draft.texts, field.name)}
          problem={own(problems, field.name)}
          onType={type}
        />
      ))}
      {editableRelations(collection, row === undefined).map((relation) => (
        <RelationRow
          key={relation.name}
          {...props}
          id={`${prefix}${relation.name}`}
          relation={relation}
          problem={problems[relation.name] ?? relation.keys.map((key) => problems[key]).find(Boolean)}
        />
      ))}
      {Object.entries(draft.texts)
        .filter(([name]) => !collection.fields.some((field) => field.name === name))
        .map(([name, text]) => (
          <div key={name} className={styles['field']} data-gone>
            <span>
              <bdi>{name}</bdi> <span className={look.small}>{messages.fieldGone}</span>
            </span>
            <output>{text ?? messages.nullValue}</output>
          </div>
        ))}
    </div>
  );
}

interface FieldRowProps {
  readonly id: string;
  readonly field: VisibleField;
  readonly text: string | null;
  readonly isChanged: boolean;
  readonly problem: string | undefined;
  readonly onType: (field: VisibleField, text: string | null) => void;
}

/** Sixty of them are in a form, and a key changes one. */
const FieldRow = memo(function FieldRow({ id, field, text, isChanged, problem, onType }: FieldRowProps) {
  const onChange = (typed: string | null) => onType(field, typed);
  const messages = useMessages();
  const { name, type, isDuration, enumValues, isNullable, isRequired } = field;
  return (
    <div className={styles['field']} data-changed={isChanged || undefined}>
      <label htmlFor={id}>
        <bdi>{name}</bdi> {isRequired && <span className={look.small}>{messages.required}</span>}
      </label>
      {field.isFile ? (
        <FileInput
          id={id}
          isList={false}
          value={text === '' ? null : text}
          parameters={{}}
          onChange={(uri) => onChange(typeof uri === 'string' ? uri : isNullable ? null : '')}
        />
      ) : (
        <ValueEditor
          id={id}
          name={name}
          type={type}
          isDuration={isDuration}
          enumValues={enumValues}
          text={text}
          isNullable={isNullable}
          isInvalid={problem !== undefined}
          describedBy={problem === undefined ? undefined : `${id}-problem`}
          onChange={onChange}
        />
      )}
      <FieldProblem id={id} problem={problem} />
    </div>
  );
});

function FieldProblem({ id, problem }: { readonly id: string; readonly problem: string | undefined }) {
  if (problem === undefined) return null;
  return (
    <p id={`${id}-problem`} className={styles['problem']}>
      <span aria-hidden="true">⚠ </span>
      {problem}
    </p>
  );
}

interface RelationRowProps extends FieldFormProps {
  readonly id: string;
  readonly relation: VisibleRelation;
  readonly problem: string | undefined;
}

function RelationRow({ id, agent, row, draft, relation, problem, onChange, onNew }: RelationRowProps) {
  const messages = useMessages();
  const { name, isRequired } = relation;
  const isChosen = Object.hasOwn(draft.links, name);
  const now: RelatedRow | null =
    own(draft.links, name) ?? (isChosen ? null : ((row && own(row.related, name)) ?? null));
  const choose = (to: RelatedRow | null) => onChange(withLink(draft, name, to));
  return (
    <div className={styles['field']} data-changed={isChosen || undefined}>
      <span>
        <bdi>{name}</bdi> {isRequired && <span className={look.small}>{messages.required}</span>}
      </span>
      <div className={look.row}>
        <RecordPicker agent={agent} relation={relation} chosen={now} onChoose={choose} onNew={() => onNew(relation)} />
        {now && !isRequired && (
          <Button look="quiet" aria-label={messages.remove(titleOf(now, relation.title))} onClick={() => choose(null)}>
            ×
          </Button>
        )}
      </div>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}
