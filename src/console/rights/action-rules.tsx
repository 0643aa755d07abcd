import { type ReactNode, useState } from 'react';
import type { ConditionalRight, RoleAction } from '#contracts/permission-file';
import { Button, Failure, look } from '../design/controls.tsx';
import { ConditionsEditor, freshCondition } from '../grid/conditions-editor.tsx';
import { type FilterGroup, filled } from '../grid/filter-tree.ts';
import { inWords } from '../grid/filter-words.ts';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { type PartDialogProps, useKnown } from './known-collections.ts';
import { everyOther } from './rights-draft.ts';
import { type ActionRow, actionRights, actionsIn, withAction } from './rules-draft.ts';
import { editableScope, isUnfilled, scopeFrom } from './team-draft.ts';

interface ActionRulesProps extends Omit<PartDialogProps, 'name' | 'onClose'> {
  /** Whether all that is chosen can be used: a condition may still lack its value. */
  readonly onReady: (isReady: boolean) => void;
}

/** Which actions of a collection a role may run and approve, and which of them need an approval. Each opens where it stands. */
export function ActionRules(props: ActionRulesProps) {
  const { environment, collection, document, isKnown, mayEdit, onChange, onReady } = props;
  const { rights: messages, loading } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  const { told, error, retry } = useKnown(environment, collection, isKnown);
  const [opened, setOpened] = useState<string>();
  const { rows, idle } = actionsIn(document, props, told?.known);
  const open = (name: string | undefined) => {
    setOpened(name);
    onReady(true);
  };
  const change = (name: string, given: RoleAction | undefined) =>
    onChange(withAction(document, props, name, given, told?.known));
  return (
    <section aria-label={texts.actions} className={look.form}>
      <strong>{texts.actions}</strong>
      {error && <Failure error={error} onRetry={retry} />}
      {!told && !error && <p className={look.late}>{loading}</p>}
      {told && (
        <ul className={look.list}>
          {rows.map((row) => (
            <ActionLine
              key={row.name}
              row={row}
              isOpen={row.name === opened}
              {...(mayEdit ? { onToggle: () => open(row.name === opened ? undefined : row.name) } : {})}
            >
              <ActionForm
                environment={environment}
                collection={told.visible}
                row={row}
                onChange={(given) => change(row.name, given)}
                onReady={onReady}
              />
            </ActionLine>
          ))}
          {idle.map((gone) => (
            <li key={gone} className={look.row}>
              <span className={look.wide}>
                <bdi>{gone}</bdi>
                <span className={look.small}> · {texts.actionGone}</span>
              </span>
              {mayEdit && (
                <Button aria-label={texts.removeRule(gone)} onClick={() => change(gone, undefined)}>
                  {messages.removePart}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface ActionLineProps {
  readonly row: ActionRow;
  readonly isOpen: boolean;
  /** Absent for whoever may not change it. */
  readonly onToggle?: () => void;
  /** The form, where it is open. */
  readonly children: ReactNode;
}

function ActionLine({ row, isOpen, onToggle, children }: ActionLineProps) {
  const texts = useLaterTexts('rulesTexts');
  const title = row.name === everyOther ? texts.everyOtherAction : row.name;
  return (
    <li>
      <div className={look.row}>
        <div className={look.wide}>
          <bdi>{title}</bdi>
          <div className={look.small}>
            {texts.actionRule(said(row.given))}
            {row.name !== everyOther && !row.isNamed && ` (${texts.asEveryOtherAction})`}
          </div>
        </div>
        {onToggle && (
          <Button aria-label={texts.ofPart(texts.change, title)} aria-expanded={isOpen} onClick={onToggle}>
            {texts.change}
          </Button>
        )}
      </div>
      {isOpen && (
        <section aria-label={title} className={look.choices}>
          {children}
        </section>
      )}
    </li>
  );
}

/** Rules for an action, with conditions as texts. */
function said({ selfApprove = false, ...given }: RoleAction) {
  const part = (right: ConditionalRight) => (typeof right === 'object' ? inWords(right.where) : right === true);
  return {
    trigger: part(given.trigger),
    needsApproval: part(given.needsApproval),
    approve: part(given.approve),
    selfApprove,
  };
}

type Extent = 'none' | 'all' | 'some';

/** A right on an action while somebody changes it. */
interface Choice {
  readonly extent: Extent;
  /** Absent for conditions that a form cannot show: they stay as they are. */
  readonly group?: FilterGroup | undefined;
  readonly before: ConditionalRight;
}

const noConditions: FilterGroup = { aggregator: 'and', conditions: [] };

function begun(right: ConditionalRight, collection: VisibleCollection | undefined): Choice {
  if (typeof right !== 'object') return { extent: right === true ? 'all' : 'none', group: noConditions, before: right };
  const group = collection && editableScope(right.where, collection);
  return { extent: 'some', group: group && filled(group), before: right };
}

/** Whether a choice says on which records. */
function isReady({ extent, group }: Choice): boolean {
  return extent !== 'some' || !group || (group.conditions.length > 0 && !isUnfilled(group));
}

function chosen({ extent, group, before }: Choice): ConditionalRight {
  if (extent !== 'some') return extent === 'all';
  const where = group && scopeFrom(group);
  return where ? { where } : before;
}

/** A choice of another extent. The first condition is begun for whoever has chosen some records. */
function withExtent(choice: Choice, extent: Extent, collection: VisibleCollection | undefined): Choice {
  const isBegun = extent !== 'some' || !collection || choice.group?.conditions.length !== 0;
  if (isBegun) return { ...choice, extent };
  return { ...choice, extent, group: { ...choice.group, conditions: [freshCondition(collection)] } };
}

interface ActionFormProps {
  readonly environment: string;
  /** Absent where the person does not see the collection, or where there are several. */
  readonly collection: VisibleCollection | undefined;
  readonly row: ActionRow;
  readonly onChange: (given: RoleAction) => void;
  readonly onReady: (isReady: boolean) => void;
}

function ActionForm({ environment, collection, row, onChange, onReady }: ActionFormProps) {
  const texts = useLaterTexts('rulesTexts');
  const { given } = row;
  const [choices, setChoices] = useState(() => ({
    trigger: begun(given.trigger, collection),
    needsApproval: begun(given.needsApproval, collection),
    approve: begun(given.approve, collection),
  }));
  const [selfApprove, setSelfApprove] = useState(given.selfApprove === true);
  const areReady = actionRights.every((right) => isReady(choices[right]));
  const take = (next: typeof choices, nextSelfApprove: boolean) => {
    setChoices(next);
    setSelfApprove(nextSelfApprove);
    const isComplete = actionRights.every((right) => isReady(next[right]));
    onReady(isComplete);
    if (!isComplete) return;
    const { trigger, needsApproval, approve } = next;
    onChange({
      ...{ trigger: chosen(trigger), needsApproval: chosen(needsApproval), approve: chosen(approve) },
      selfApprove: nextSelfApprove,
    });
  };
  return (
    <>
      {actionRights.map((right) => (
        <RightChoice
          key={right}
          label={texts.actionRights[right]}
          environment={environment}
          collection={row.hasRecords ? collection : undefined}
          choice={choices[right]}
          onChange={(choice) => take({ ...choices, [right]: choice }, selfApprove)}
        />
      ))}
      <label>
        <input type="checkbox" checked={selfApprove} onChange={({ target }) => take(choices, target.checked)} />{' '}
        {texts.selfApprove}
      </label>
      {!areReady && <p className={look.small}>{texts.unfilled}</p>}
    </>
  );
}

interface RightChoiceProps {
  readonly label: string;
  readonly environment: string;
  /** Absent where no condition can be added. */
  readonly collection: VisibleCollection | undefined;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

function RightChoice({ label, environment, collection, choice, onChange }: RightChoiceProps) {
  const texts = useLaterTexts('rulesTexts');
  const { extent, group, before } = choice;
  const offered: readonly Extent[] = collection || extent === 'some' ? ['none', 'all', 'some'] : ['none', 'all'];
  return (
    <section aria-label={label} className={look.form}>
      <label className={look.row}>
        <span className={look.wide}>{label}</span>
        <div>
          <select
            className={look.input}
            value={extent}
            onChange={({ target }) => onChange(withExtent(choice, target.value as Extent, collection))}
          >
            {offered.map((each) => (
              <option key={each} value={each}>
                {texts.extents[each]}
              </option>
            ))}
          </select>
        </div>
      </label>
      {extent === 'some' && !(group && collection) && typeof before === 'object' && (
        <p className={look.small}>{texts.conditionsAsJson(inWords(before.where))}</p>
      )}
      {extent === 'some' && group && collection && (
        <ConditionsEditor
          environment={environment}
          collection={collection}
          group={group}
          onChange={(next) => onChange({ ...choice, group: next })}
        />
      )}
    </section>
  );
}
