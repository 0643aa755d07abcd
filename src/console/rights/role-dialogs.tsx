import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import type { RenamedRole } from '#contracts/rights';
import { Button, Buttons, Dialog, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { ProjectPeople } from '../model/people.ts';
import { isLockedOut, peopleOf, withoutRole } from './role-draft.ts';

interface RoleDialogProps {
  readonly document: PermissionFile;
  readonly role: string;
  /** Absent for whoever may not know the people of the project. */
  readonly project: ProjectPeople | undefined;
  /** Roles that the draft calls otherwise. */
  readonly renamed: readonly RenamedRole[];
  readonly onClose: () => void;
}

/** Gives a role another name, wherever the rights name it. Its people keep it. */
export function RenameRoleDialog(props: RoleDialogProps & { readonly onTake: (name: string) => void }) {
  const { document, role, project, renamed, onTake, onClose } = props;
  const { rights: messages, cancel } = useMessages();
  const [typed, setTyped] = useState(role);
  const name = typed.trim();
  const gone = renamed.map(({ from }) => from);
  const known = [...Object.keys(document.roles), ...(project?.roles ?? []).map((each) => each.name)];
  // A role may have its first name again.
  const isOwn = name === role || renamed.some(({ from, to }) => to === role && from === name);
  const isTaken = !isOwn && (known.includes(name) || gone.includes(name));
  return (
    <Dialog title={messages.renameOf(role)} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isTaken && name !== role) onTake(name);
        }}
      >
        <p>{messages.renameWhy}</p>
        <label>
          {messages.roleName}
          <input
            className={look.input}
            required
            pattern=".*\S.*"
            maxLength={100}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        {isTaken && <p className={look.small}>{messages.nameTaken(name)}</p>}
        <Buttons>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" disabled={name === '' || name === role || isTaken}>
            {messages.take}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

/** Asks before a role goes, and says who would lose it. */
export function RemoveRoleDialog(props: RoleDialogProps & { readonly onTake: () => void }) {
  const { document, role, project, renamed, onTake, onClose } = props;
  const { rights: messages, cancel } = useMessages();
  const people = project?.people ?? [];
  const losing = peopleOf(document, people, role, renamed);
  const isLockout =
    project !== undefined &&
    isLockedOut(withoutRole(document, role), people, renamed) &&
    !isLockedOut(document, people, renamed);
  return (
    <Dialog title={messages.removeRole(role)} onClose={onClose}>
      {isLockout && <Notice title={messages.lockout} />}
      <p>{losing.length > 0 ? messages.loseRole : messages.nobodyLoses}</p>
      {losing.length > 0 && (
        <ul>
          {losing.map(({ id, name, email }) => (
            <li key={id}>
              <bdi>{name}</bdi> · <bdi>{email}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p className={look.small}>{messages.removeRoleWhy}</p>
      <Buttons>
        <Button onClick={onClose}>{cancel}</Button>
        <Button look="danger" onClick={onTake}>
          {messages.removePart}
        </Button>
      </Buttons>
    </Dialog>
  );
}
