import { useState } from 'react';
import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import { Button, Dialog, look } from '../design/controls.tsx';
import { inWords } from '../grid/filter-words.ts';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import { ActionRules } from './action-rules.tsx';
import { DraftButtons, useEdited } from './draft-buttons.tsx';
import { FieldsDialog } from './fields-dialog.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { everyOther, rulesOf, withRules } from './rights-draft.ts';
import { namedRules, rightOf } from './rules-draft.ts';
import { ScopeDialog } from './scope-dialog.tsx';

interface RulesDialogProps {
  readonly environment: string;
  readonly document: PermissionFile;
  readonly role: string;
  readonly collection: string;
  /** Whether the schema that the person sees has the collection. */
  readonly isKnown: boolean;
  readonly mayEdit: boolean;
  readonly onChange: (document: PermissionFile) => void;
  readonly onClose: () => void;
}

type Part = 'records' | 'fields' | 'json';

/** What restricts the rights of a role on one collection: to records, fields and actions. Actions are changed here; the others open as forms, and all of it as JSON. */
export function RulesDialog(props: RulesDialogProps) {
  const { role, collection, mayEdit, onClose } = props;
  const { rights: messages } = useMessages();
  const { edited: document, setEdited: onChange, isUnsaved, onTake } = useEdited(props);
  const edited = { ...props, document, onChange };
  const texts = useLaterTexts('rulesTexts');
  const [part, setPart] = useState<Part>();
  const [isReady, setReady] = useState(true);
  /** Counts the changes beside the forms of the actions, which begin again with each. */
  const [round, setRound] = useState(0);
  const name = collection === everyOther ? messages.everyOther : collection;
  const named = namedRules(document, edited);
  const rules = rulesOf(document, role, collection) ?? {};
  const leave = () => setPart(undefined);
  const replace = (value: RoleCollection | undefined) => {
    onChange(withRules(document, role, collection, value));
    setReady(true);
    setRound(round + 1);
    leave();
  };
  const fields = Object.entries(rules.fields ?? {}).map(([field, rule]) =>
    texts.fieldRule(field === everyOther ? texts.everyOtherField : field, rightOf(rule)),
  );
  return (
    <Dialog title={messages.rulesOf(name)} isUnsaved={isUnsaved} onClose={onClose}>
      <ul className={look.list}>
        <RulesPart
          title={texts.records}
          says={rules.scope ? texts.onlyWhere(inWords(rules.scope)) : texts.allRecords}
          {...(mayEdit ? { act: texts.change, onOpen: () => setPart('records') } : {})}
        />
        <RulesPart
          title={texts.fields}
          says={fields.length > 0 ? fields.join(', ') : texts.noFieldRules}
          act={mayEdit ? texts.change : texts.look}
          onOpen={() => setPart('fields')}
        />
      </ul>
      <ActionRules key={round} {...edited} onReady={setReady} />
      <DraftButtons onTake={onTake} isReady={isReady} onClose={onClose}>
        <Button onClick={() => setPart('json')}>{texts.asJson}</Button>
        {mayEdit && named && collection !== everyOther && (
          <Button onClick={() => replace(undefined)}>{messages.asOther}</Button>
        )}
      </DraftButtons>
      {part === 'records' && <ScopeDialog {...edited} holder={{ kind: 'role', name: role }} onClose={leave} />}
      {part === 'fields' && <FieldsDialog {...edited} name={name} onClose={leave} />}
      {part === 'json' && (
        <JsonDialog
          title={texts.jsonOf(messages.rulesOf(name))}
          why={messages.rulesWhy}
          value={named ?? {}}
          {...(mayEdit ? { onTake: (value) => replace(value as RoleCollection) } : {})}
          onClose={leave}
        />
      )}
    </Dialog>
  );
}

interface RulesPartProps {
  readonly title: string;
  readonly says: string;
  /** What the button says. There is none for a part that the person cannot open. */
  readonly act?: string;
  readonly onOpen?: () => void;
}

function RulesPart({ title, says, act, onOpen }: RulesPartProps) {
  const texts = useLaterTexts('rulesTexts');
  return (
    <li className={look.row}>
      <div className={look.wide}>
        <strong>{title}</strong>
        <div className={look.small}>
          <bdi>{says}</bdi>
        </div>
      </div>
      {act !== undefined && (
        <Button aria-label={texts.ofPart(act, title)} onClick={onOpen}>
          {act}
        </Button>
      )}
    </li>
  );
}
