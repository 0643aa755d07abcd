import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, look, Notice } from '../design/controls.tsx';
import { useLeaveGuard } from '../design/leave-guard.ts';
import { useMessages } from '../messages/index.ts';
import { meQuery } from '../model/me.ts';
import { timeText } from '../values/time-text.ts';
import { dropDraft, type KeptDraft, keepDraft, keptDraft } from './drafts.ts';
import { type Draft, emptyDraft, isEmptyDraft, overDraft, sizeOfDraft } from './form-state.ts';

export interface DraftInUse {
  readonly draft: Draft;
  /** What the browser has kept from before; `undefined` where that is nothing, or where the person has decided. */
  readonly offer: KeptDraft | undefined;
  /** Go on with what is offered. What was typed since stays. */
  take(): void;
  throwAway(): void;
  /** Keep another draft from now on. */
  change(draft: Draft): void;
  /** Forget what was typed, here and in the browser. */
  drop(): void;
}

/**
 * A draft that the browser keeps from the first key on, and offers after a crash. It is that of the person who typed it: whoever
 * signs in after them on the same machine does not see it. Leaving the page with a draft asks first.
 *
 * @param id the record; `null` for a new one, and for one in a form over another form what that form is for. No id of a record is a list
 * @param first what the form begins with
 */
export function useDraft(
  environment: string,
  collection: string,
  id: string | null | readonly string[],
  first: Draft = emptyDraft,
): DraftInUse {
  const messages = useMessages();
  const { data: person } = useSuspenseQuery(meQuery);
  const key = JSON.stringify([person.user.id, person.projectId, environment, collection, id]);
  const [draft, setDraft] = useState(first);
  const [offer, setOffer] = useState<KeptDraft>();
  // Whoever leaves right after saving is not asked, though the screen has not been drawn since.
  const newest = useRef(draft);
  const show = (next: Draft) => {
    newest.current = next;
    setDraft(next);
  };
  useEffect(() => {
    void keptDraft(key).then(setOffer);
  }, [key]);
  // Where the form stands over another one, its dialog asks.
  const isInDialog = Array.isArray(id);
  useLeaveGuard(
    () => !isInDialog && newest.current !== first && !isEmptyDraft(newest.current),
    () => messages.leaveForm(sizeOfDraft(newest.current)),
  );
  return {
    draft,
    offer,
    take() {
      if (!offer) return;
      show(overDraft(offer.draft, newest.current));
      setOffer(undefined);
    },
    throwAway() {
      setOffer(undefined);
      void keepDraft(key, newest.current);
    },
    change(next) {
      show(next);
      void keepDraft(key, offer ? overDraft(offer.draft, next) : next);
    },
    drop() {
      show(first);
      // It stays as old as it is.
      void (offer ? keepDraft(key, offer.draft, offer.keptAt) : dropDraft(key));
    },
  };
}

/** Asks whether the draft of before is still wanted. */
export function DraftOffer({ drafting, onTake }: { readonly drafting: DraftInUse; readonly onTake?: () => void }) {
  const messages = useMessages();
  const { offer, take, throwAway } = drafting;
  if (!offer) return null;
  return (
    <Notice kind="warning" title={messages.draftOf(timeText(new Date(offer.keptAt).toISOString()))}>
      <div className={look.row}>
        <Button
          look="primary"
          onClick={() => {
            take();
            onTake?.();
          }}
        >
          {messages.takeDraft}
        </Button>
        <Button onClick={throwAway}>{messages.throwDraftAway}</Button>
      </div>
    </Notice>
  );
}

/** The first field that the server or the form refused gets the focus, in the form that is on top. */
export function focusFirstProblem(isSaved: boolean): void {
  if (isSaved) return;
  requestAnimationFrame(() => {
    const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    place.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}
