import { useState } from 'react';
import type { ConditionalRight, RoleAction } from '#contracts/permission-file';
import { Button, Dialog, Failure, look } from '../design/controls.tsx';
import { ConditionsEditor } from '../grid/conditions-editor.tsx';
import { type FilterGroup, filled } from '../grid/filter-tree.ts';
import { inWords } from '../grid/filter-words.ts';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { DraftButtons, useEdited } from './draft-buttons.tsx';
import { type PartDialogProps, useKnown } from './known-collections.ts';
import { everyOther } from './rights-draft.ts';
import { type ActionRow, actionRights, actionsIn, withAction } from './rules-draft.ts';
import { editableScope, isUnfilled, scopeFrom } from './team-draft.ts';

/** Which actions of a collection a role may run and approve, and which of them need an approval. */
export function ActionsDialog(props: PartDialogProps) {
  const { environment, role, collection, name, isKnown, mayEdit, onClose } = props;
  const { rights: messages, loading } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  const { told, error, retry } = useKnown(environment, collection, isKnown);
  const [opened, setOpened] = useState<string>();
  const { edited, setEdited, onTake } = useEdited(props);
  const { rows, idle } = actionsIn(edited, props, told?.known);
  const row = rows.find((each) => each.name === opened);
  return (
    <Dialog title={texts.actionsOf(role, name)} onClose={onClose}>
      {error && <Failure error={error} onRetry={retry} />}
      {!told && !error && <p className={look.late}>{loading}</p>}
      {told && (
        <ul className={look.list}>
          {rows.map((each) => (
            <ActionLine key={each.name} row={each} {...(mayEdit ? { onOpen: () => setOpened(each.name) } : {})} />
          ))}
          {idle.map((gone) => (
            <li key={gone} className={look.row}>
              <span className={look.wide}>
                <bdi>{gone}</bdi>
                <span className={look.small}> · {texts.actionGone}</span>
              </span>
              {mayEdit && (
                <Button
                  aria-label={texts.removeRule(gone)}
                  onClick={() => setEdited(withAction(edited, props, gone, undefined, told?.known))}
                >
                  {messages.removePart}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <DraftButtons onTake={onTake} onClose={onClose} />
      {row && (
        <ActionDialog
          title={texts.actionOf(titleOf(row, texts.everyOtherAction), role)}
          environment={environment}
          collection={told?.visible}
          row={row}
          onTake={(given) => {
            setEdited(withAction(edited, props, row.name, given, told?.known));
            setOpened(undefined);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Dialog>
  );
}

function titleOf({ name }: ActionRow, everyOtherAction: string): string {
  return name === everyOther ? everyOtherAction : name;
}

interface ActionLineProps {
  readonly row: ActionRow;
  /** Absent for whoever may not change it. */
  readonly onOpen?: () => void;
}

function ActionLine({ row, onOpen }: ActionLineProps) {
  const texts = useLaterTexts('rulesTexts');
  const title = titleOf(row, texts.everyOtherAction);
  return (
    <li className={look.row}>
      <div className={look.wide}>
        <bdi>{title}</bdi>
        <div className={look.small}>
          {texts.actionRule(said(row.given))}
          {row.name !== everyOther && !row.isNamed && ` (${texts.asEveryOtherAction})`}
        </div>
      </div>
      {onOpen && (
        <Button aria-label={texts.ofPart(texts.change, title)} onClick={onOpen}>
          {texts.change}
        </Button>
      )}
    </li>
  );
}

/** Rules for an action, with conditions as texts. */
export function said({ selfApprove = false, ...given }: RoleAction) {
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

interface ActionDialogProps {
  readonly title: string;
  readonly environment: string;
  /** Absent where the person does not see the collection, or where there are several. */
  readonly collection: VisibleCollection | undefined;
  readonly row: ActionRow;
  readonly onTake: (given: RoleAction) => void;
  readonly onClose: () => void;
}

function ActionDialog({ title, environment, collection, row, onTake, onClose }: ActionDialogProps) {
  const texts = useLaterTexts('rulesTexts');
  const { given } = row;
  const [choices, setChoices] = useState(() => ({
    trigger: begun(given.trigger, collection),
    needsApproval: begun(given.needsApproval, collection),
    approve: begun(given.approve, collection),
  }));
  const [selfApprove, setSelfApprove] = useState(given.selfApprove === true);
  const areReady = actionRights.every((right) => isReady(choices[right]));
  const take = () => {
    const { trigger, needsApproval, approve } = choices;
    onTake({
      ...{ trigger: chosen(trigger), needsApproval: chosen(needsApproval), approve: chosen(approve) },
      selfApprove,
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {actionRights.map((right) => (
        <RightChoice
          key={right}
          label={texts.actionRights[right]}
          environment={environment}
          collection={row.hasRecords ? collection : undefined}
          choice={choices[right]}
          onChange={(choice) => setChoices({ ...choices, [right]: choice })}
        />
      ))}
      <label>
        <input type="checkbox" checked={selfApprove} onChange={({ target }) => setSelfApprove(target.checked)} />{' '}
        {texts.selfApprove}
      </label>
      {!areReady && <p className={look.small}>{texts.unfilled}</p>}
      <DraftButtons onTake={take} isReady={areReady} onClose={onClose} />
    </Dialog>
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
            onChange={({ target }) => onChange({ ...choice, extent: target.value as Extent })}
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
