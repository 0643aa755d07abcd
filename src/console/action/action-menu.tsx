import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Approval } from '#contracts/approvals';
import { Button, Dialog, look } from '../design/controls.tsx';
import { nothingSelected } from '../grid/selection.ts';
import { useMessages } from '../messages/index.ts';
import { useWaitingApprovals } from '../model/approvals.ts';
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
  const only =
    target.selection.kind === 'these' && target.selection.ids.size === 1 ? [...target.selection.ids][0] : undefined;
  const actions = collection.actions.filter(({ type }) => type === scope || (scope === 'single' && type === 'bulk'));
  const mayWait = actions.some(({ needsApproval }) => needsApproval);
  const asked = useWaitingApprovals({ environment }, collection.name, mayWait ? only : undefined).approvals;
  if (actions.length === 0) return null;
  return (
    <>
      <Button aria-haspopup="dialog" data-key="." onClick={() => setOpen(true)}>
        {messages.actions} ▾
      </Button>
      {isOpen && (
        <ActionChoice
          environment={environment}
          actions={actions}
          asked={asked.filter(({ isOwn }) => isOwn)}
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
  readonly environment: string;
  /** What the person has asked for already: it leads to the request, in place of a second one. */
  readonly asked: readonly Approval[];
  readonly actions: readonly VisibleAction[];
  readonly onChoose: (action: VisibleAction) => void;
  readonly onClose: () => void;
}

/** The actions to choose from, each with what it says of itself. */
function ActionChoice({ environment, actions, asked, onChoose, onClose }: ActionChoiceProps) {
  const messages = useMessages();
  return (
    <Dialog title={messages.actions} onClose={onClose}>
      <ul>
        {actions.map((action) => {
          const request = asked.find((each) => each.action === action.name);
          return (
            <li key={action.id}>
              {request ? (
                <Link
                  className={look.choice}
                  to="/$environment/approvals/$approval"
                  params={{ environment, approval: String(request.id) }}
                >
                  <bdi>{action.name}</bdi>
                  <span className={look.small}>{messages.approvalAsked(String(request.id))}</span>
                </Link>
              ) : (
                <button type="button" className={look.choice} onClick={() => onChoose(action)}>
                  <bdi>{action.name}</bdi>
                  {action.description && <span className={look.small}>{action.description}</span>}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
