import { lazy, Suspense, useState } from 'react';
import { Button, Dialog, look } from '../design/controls.tsx';
import { nothingSelected } from '../grid/selection.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleAction, VisibleCollection } from '../model/schema.ts';
import type { ActionTarget } from './action-target.ts';

const ActionDialog = lazy(async () => ({ default: (await import('./action-dialog.tsx')).ActionDialog }));

interface ActionMenuProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly scope: VisibleAction['type'];
  /** Absent for actions that are about no record. */
  readonly target?: ActionTarget;
  readonly onDone?: () => void;
}

const noTarget: ActionTarget = { selection: nothingSelected, query: {}, size: 0 };

/** The actions that the person may run here. A bulk action runs on one record too. The form is loaded when somebody opens it. */
export function ActionMenu({ environment, collection, scope, target = noTarget, onDone = () => {} }: ActionMenuProps) {
  const messages = useMessages();
  const [isOpen, setOpen] = useState(false);
  const [running, setRunning] = useState<VisibleAction>();
  const actions = collection.actions.filter(({ type }) => type === scope || (scope === 'single' && type === 'bulk'));
  if (actions.length === 0) return null;
  return (
    <>
      <Button aria-haspopup="dialog" data-key="." onClick={() => setOpen(true)}>
        {messages.actions} ▾
      </Button>
      {isOpen && (
        <ActionChoice
          actions={actions}
          onChoose={(action) => {
            setOpen(false);
            setRunning(action);
          }}
          onClose={() => setOpen(false)}
        />
      )}
      {running && (
        <Suspense>
          <ActionDialog
            key={running.id}
            agent={{ environment }}
            collection={collection}
            action={running}
            target={target}
            onDone={onDone}
            onClose={() => setRunning(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

interface ActionChoiceProps {
  readonly actions: readonly VisibleAction[];
  readonly onChoose: (action: VisibleAction) => void;
  readonly onClose: () => void;
}

/** The actions to choose from, each with what it says of itself. */
function ActionChoice({ actions, onChoose, onClose }: ActionChoiceProps) {
  const messages = useMessages();
  return (
    <Dialog title={messages.actions} onClose={onClose}>
      <ul>
        {actions.map((action) => (
          <li key={action.id}>
            <button type="button" className={look.choice} onClick={() => onChoose(action)}>
              <bdi>{action.name}</bdi>
              {action.description && <span className={look.small}>{action.description}</span>}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
