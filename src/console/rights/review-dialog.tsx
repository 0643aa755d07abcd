import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import type { CheckedDraft, RenamedRole } from '#contracts/rights';
import { Button, Buttons, Dialog, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { checkedDraftQuery, refusalDays, refusedByDraftQuery, setRights } from '../model/rights.ts';
import styles from './rights.module.css';
import { type ChangeKind, changesIn } from './rights-draft.ts';
import { withRenamedRole } from './role-draft.ts';

/** Rights that somebody changed and nobody has yet. */
export interface RightsDraft {
  readonly document: PermissionFile;
  /** The revision that it began with. */
  readonly base: number;
  /** Roles that it calls otherwise. Those who have them keep them. */
  readonly renamedRoles?: readonly RenamedRole[];
}

interface ReviewDialogProps {
  readonly environment: string;
  readonly draft: RightsDraft;
  /** Whether the draft ends with the dialog. */
  readonly isUnsaved?: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Shows what a draft changes, and the people that it concerns, and saves it: compared with the revision that is shown. */
export function ReviewDialog({ environment, draft, isUnsaved = false, onSaved, onClose }: ReviewDialogProps) {
  const { rights: messages, cancel, save, loading } = useMessages();
  const client = useQueryClient();
  const [allowLockout, setAllowLockout] = useState(false);
  const { document, renamedRoles = [] } = draft;
  const renamed = renamedRoles.filter(({ to }) => Object.hasOwn(document.roles, to));
  const { data: checked, error, refetch } = useQuery(checkedDraftQuery({ environment }, document, renamed));
  const saving = useMutation({
    mutationFn: ({ revision }: CheckedDraft) =>
      setRights({ environment }, { document, base: revision, allowLockout, renamedRoles: renamed }),
    onSuccess: (rights) => {
      client.setQueryData(['rights', environment], rights);
      if (renamed.length > 0) void client.invalidateQueries({ queryKey: ['people'] });
      toast(messages.saved);
      onSaved();
    },
    // Somebody may have been first: the differences are then others.
    onError: () => void refetch(),
  });
  const isUnchanged = checked && checked.removed.length + checked.added.length + renamed.length === 0;
  const isRefused = !checked || isUnchanged || checked.problems.length > 0 || (checked.isLockout && !allowLockout);
  return (
    <Dialog title={messages.review} isUnsaved={isUnsaved} onClose={onClose}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!checked && !error && <p className={look.late}>{loading}</p>}
      {checked && (
        <>
          {checked.revision !== draft.base && (
            <Notice kind="warning" title={messages.meanwhile}>
              <p>{messages.meanwhileWhy}</p>
            </Notice>
          )}
          <Warnings checked={checked} />
          {isUnchanged && <p>{messages.unchanged}</p>}
          {renamed.length > 0 && (
            <ul>
              {renamed.map(({ from, to }) => (
                <li key={from}>{messages.isRenamed(from, to)}</li>
              ))}
            </ul>
          )}
          {changesIn(checked).map(({ kind, sentences }) => (
            <Sentences key={kind} title={messages.changes[kind]} kind={kind} sentences={sentences} />
          ))}
          <Refusals environment={environment} document={withFirstNames(document, renamed)} />
        </>
      )}
      {checked?.isLockout && (
        <label>
          <input type="checkbox" checked={allowLockout} onChange={({ target }) => setAllowLockout(target.checked)} />{' '}
          {messages.allowLockout}
        </label>
      )}
      {saving.error && <Failure error={saving.error} />}
      <Buttons>
        <Button onClick={onClose}>{cancel}</Button>
        <Button
          look="primary"
          disabled={isRefused || saving.isPending}
          onClick={() => checked && saving.mutate(checked)}
        >
          {save}
        </Button>
      </Buttons>
    </Dialog>
  );
}

function Warnings({ checked: { problems, roles, teams, isLockout } }: { readonly checked: CheckedDraft }) {
  const { rights: messages, people } = useMessages();
  return (
    <>
      {problems.length > 0 && (
        <Notice title={messages.problems}>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isLockout && <Notice title={messages.lockout} />}
      {roles.length + teams.length > 0 && (
        <Notice kind="warning" title={messages.leftOut}>
          <ul>
            {roles.map(({ name, people: count }) => (
              <li key={`role ${name}`}>{messages.roleLeftOut(name, people.count(String(count)))}</li>
            ))}
            {teams.map(({ name, people: count }) => (
              <li key={`team ${name}`}>{messages.teamLeftOut(name, people.count(String(count)))}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

/** People have their roles by the names from before until the draft is saved. */
function withFirstNames(document: PermissionFile, renamed: readonly RenamedRole[]): PermissionFile {
  return renamed.reduceRight((named, { from, to }) => withRenamedRole(named, to, from), document);
}

interface SentencesProps {
  readonly title: string;
  readonly kind: ChangeKind;
  readonly sentences: readonly string[];
}

function Sentences({ title, kind, sentences }: SentencesProps) {
  if (sentences.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className={styles[kind]}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** What people did lately and could not do any more. */
function Refusals({ environment, document }: { readonly environment: string; readonly document: PermissionFile }) {
  const { rights: messages } = useMessages();
  const { data: found, error } = useQuery(refusedByDraftQuery({ environment }, document));
  if (error) return <Failure error={error} />;
  if (!found) return null;
  if (found.refusals.length === 0) {
    return <p className={look.small}>{messages.refusedNone(refusalDays, String(found.acts))}</p>;
  }
  return (
    <section aria-label={messages.refused(refusalDays)}>
      <h3>{messages.refused(refusalDays)}</h3>
      <ul className={styles['taken']}>
        {found.refusals.map(({ person, because, acts, lastAt }) => (
          <li key={`${person.id} ${because} ${lastAt}`}>{messages.refusal(person.name, because, String(acts))}</li>
        ))}
      </ul>
      {found.more > 0 && <p className={look.small}>{messages.refusedMore(String(found.more))}</p>}
    </section>
  );
}
