import { lazy, Suspense, useState } from 'react';
import { Button } from '../design/controls.tsx';
import { nothingSelected } from '../grid/selection.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleAction, VisibleCollection } from '../model/schema.ts';
import { ActionChoice } from './action-choice.tsx';
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
