import { useState } from 'react';
import type { FieldRight } from '#contracts/field-rights';
import { Button, Dialog, Failure, look } from '../design/controls.tsx';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import { DraftButtons, useEdited } from './draft-buttons.tsx';
import { type PartDialogProps, type ToldSchema, useKnown } from './known-collections.ts';
import styles from './rights.module.css';
import { everyOther, rulesOf } from './rights-draft.ts';
import { type FieldRow, fieldsIn, type IdleRule, ownMasks, seenAs, withField } from './rules-draft.ts';

/** Which fields of a collection a role sees, how, and what else it does with them. */
export function FieldsDialog(props: PartDialogProps) {
  const { environment, role, collection, name, isKnown, onClose } = props;
  const { loading } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  const { told, error, retry } = useKnown(environment, collection, isKnown);
  const { edited, setEdited, isUnsaved, onTake } = useEdited(props);
  return (
    <Dialog title={texts.fieldsOf(role, name)} isUnsaved={isUnsaved} onClose={onClose}>
      {error && <Failure error={error} onRetry={retry} />}
      {told ? (
        <Fields {...props} document={edited} onChange={setEdited} told={told} />
      ) : (
        !error && <p className={look.late}>{loading}</p>
      )}
      <DraftButtons onTake={onTake} onClose={onClose} />
    </Dialog>
  );
}

function Fields(props: PartDialogProps & { readonly told: ToldSchema }) {
  const { document, role, collection, mayEdit, told, onChange } = props;
  const texts = useLaterTexts('rulesTexts');
  const [shown, setShown] = useState<readonly string[]>([]);
  const { known, masks } = told;
  const { rows, keys, more, idle } = fieldsIn(document, props, known, shown);
  const rules = rulesOf(document, role, collection) ?? {};
  const isSeen = rules.browse === true || rules.read === true;
  const isWritten = rules.edit === true || rules.add === true;
  const set = (name: string, right: FieldRight | undefined) => onChange(withField(document, props, name, right, known));
  const hasOther = rows.some(({ name, isNamed }) => name === everyOther && isNamed);
  return (
    <fieldset className={styles['plain']} disabled={!mayEdit}>
      <p>{(isSeen ? (isWritten ? texts.seesAndWrites : texts.seesOnly) : texts.seesNothing)(role)}</p>
      {!known && <p>{texts.noSchema}</p>}
      <table className={`${look.table} ${styles['fields']}`}>
        <thead>
          <tr>
            {[texts.field, texts.values, texts.filter, texts.write].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FieldRowView
              key={row.name}
              row={row}
              isAsOther={hasOther && !row.isNamed}
              masks={[...ownMasks, ...masks]}
              onChange={(right) => set(row.name, right)}
            />
          ))}
        </tbody>
      </table>
      {keys.length > 0 && <p className={look.small}>{texts.keysAreSeen(keys.join(', '))}</p>}
      {more.length > 0 && <AddField names={more} onAdd={(name) => setShown([...shown, name])} />}
      {idle.length > 0 && <IdleRules idle={idle} onRemove={(name) => set(name, undefined)} />}
    </fieldset>
  );
}

interface FieldRowViewProps {
  readonly row: FieldRow;
  /** Whether the rule for every other field holds. */
  readonly isAsOther: boolean;
  readonly masks: readonly string[];
  readonly onChange: (right: FieldRight) => void;
}

/** Masks stand beside two words in the choice. No mask is called like them there. */
const mask = 'mask ';

function FieldRowView({ row: { name, right, isUnwritten }, isAsOther, masks, onChange }: FieldRowViewProps) {
  const texts = useLaterTexts('rulesTexts');
  const { read, filter, write } = right;
  const label = name === everyOther ? texts.everyOtherField : name;
  const named = typeof read === 'string' && !masks.includes(read) ? [...masks, read] : masks;
  const choose = (value: string) =>
    onChange(seenAs(right, value.startsWith(mask) ? value.slice(mask.length) : value === 'shown'));
  return (
    <tr>
      <th scope="row">
        <bdi>{label}</bdi>
        {isAsOther && <div className={look.small}>{texts.asEveryOther}</div>}
      </th>
      <td>
        <select
          className={look.input}
          aria-label={texts.valuesOf(label)}
          value={typeof read === 'string' ? mask + read : read ? 'shown' : 'hidden'}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="shown">{texts.shown}</option>
          <option value="hidden">{texts.hidden}</option>
          {named.map((each) => (
            <option key={each} value={mask + each}>
              {texts.mask(each)}
            </option>
          ))}
        </select>
        {read === false && <div className={look.small}>{texts.hiddenWhy}</div>}
        {typeof read === 'string' && <div className={look.small}>{texts.maskedWhy(write)}</div>}
      </td>
      <td data-label={texts.filter}>
        <input
          type="checkbox"
          aria-label={texts.filtersBy(label)}
          checked={filter}
          disabled={read !== true}
          onChange={({ target }) => onChange({ ...right, filter: target.checked })}
        />
      </td>
      <td data-label={texts.write}>
        {isUnwritten ? (
          <span className={look.small}>{texts.unwritten}</span>
        ) : (
          <input
            type="checkbox"
            aria-label={texts.writes(label)}
            checked={write}
            disabled={read === false}
            onChange={({ target }) => onChange({ ...right, write: target.checked })}
          />
        )}
      </td>
    </tr>
  );
}

interface AddFieldProps {
  readonly names: readonly string[];
  readonly onAdd: (name: string) => void;
}

function AddField({ names, onAdd }: AddFieldProps) {
  const texts = useLaterTexts('rulesTexts');
  const [chosen, setChosen] = useState<string>();
  const name = chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? '');
  return (
    <div className={look.row}>
      <div className={look.wide}>
        <select
          className={look.input}
          aria-label={texts.addField}
          value={name}
          onChange={({ target }) => setChosen(target.value)}
        >
          {names.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <Button onClick={() => onAdd(name)}>{texts.add}</Button>
    </div>
  );
}

interface IdleRulesProps {
  readonly idle: readonly IdleRule[];
  readonly onRemove: (name: string) => void;
}

function IdleRules({ idle, onRemove }: IdleRulesProps) {
  const { rights: messages } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  return (
    <section aria-label={texts.idle} className={look.form}>
      <h3>{texts.idle}</h3>
      <ul className={look.list}>
        {idle.map(({ name, why }) => (
          <li key={name} className={look.row}>
            <span className={look.wide}>
              <bdi>{name}</bdi>
              <span className={look.small}> · {texts.whyIdle[why]}</span>
            </span>
            <Button aria-label={texts.removeRule(name)} onClick={() => onRemove(name)}>
              {messages.removePart}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
