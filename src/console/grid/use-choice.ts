import { type Dispatch, type SetStateAction, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { toast } from '../design/toasts.tsx';
import { useStable } from '../design/use-stable.ts';
import { useFirstMessages } from '../messages/index.ts';
import { noId, type Row } from '../wire/records.ts';
import type { GridProps } from './grid-rows.tsx';
import {
  type Choice,
  choosable,
  isWhole,
  nothingSelected,
  type Selection,
  toggled,
  withoutThese,
  withThese,
} from './selection.ts';

/** What asks for more rows than these would wait long, and is seldom meant. */
const longestRange = 1_000;

/**
 * What is chosen in a list. "All that match" ends with the list that it was said of: of another one, it would be records that nobody
 * has meant. Ticked rows stay ticked.
 *
 * @param matching says which records the list has
 */
export function useSelection(matching: string): readonly [Selection, Dispatch<SetStateAction<Selection>>] {
  const { allOfOther } = useFirstMessages();
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const of = useRef(matching);
  useLayoutEffect(() => {
    if (of.current === matching) return;
    of.current = matching;
    if (selection.kind !== 'all') return;
    setSelection(nothingSelected);
    toast(allOfOther);
  }, [matching, selection, allOfOther]);
  return [selection, setSelection];
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** What was chosen before the range began. */
  readonly base: Selection;
  /** What was chosen with it. Where something else is chosen by now, the next range begins at the active row. */
  readonly made: Selection;
}

/**
 * Choose rows of a grid: one, a range, or all that are loaded.
 *
 * @returns `undefined` where nothing can be chosen
 */
export function useChoice(props: GridProps, active: number): Choice | undefined {
  const { selection, onSelect, rows: known } = props;
  const { rangeTooLong, code } = useFirstMessages();
  const range = useRef<Range>(undefined);
  const now = useRef(selection);
  useLayoutEffect(() => {
    now.current = selection;
  });
  const toggle = useStable(({ id }: Row) => {
    if (selection && id !== noId) onSelect?.(toggled(selection, id));
  });
  const toggleLoaded = useStable(() => {
    if (!selection || !onSelect || !known) return;
    const { loaded } = known;
    const ids = choosable(loaded);
    if (!isWhole(selection, loaded)) onSelect(withThese(selection, ids));
    else onSelect(selection.kind === 'all' ? nothingSelected : withoutThese(selection, ids));
  });
  const extend = useStable((to: number) => {
    if (!selection || !onSelect) return;
    const last = range.current;
    const goesOn = last?.to === active && last.made === selection;
    const { from, base } = goesOn ? last : { from: active, base: selection };
    const [first, end] = [Math.min(from, to), Math.max(from, to)];
    if (end - first >= longestRange) {
      toast(rangeTooLong(new Intl.NumberFormat(code).format(longestRange)));
      return;
    }
    const begun: Range = { from, to, base, made: selection };
    range.current = begun;
    const take = (rows: readonly Row[]) => {
      // Somebody has chosen something else while rows were on their way.
      if (range.current !== begun || now.current !== selection) return;
      const made = withThese(base, choosable(rows));
      range.current = { ...begun, made };
      onSelect(made);
    };
    const there = Array.from({ length: end - first + 1 }, (_, offset) => props.at(first + offset));
    if (there.every((row) => row !== undefined)) take(there);
    else known?.between(first, end).then(take, ({ message }: Error) => toast(message));
  });
  const canChoose = selection !== undefined;
  return useMemo(
    () => (canChoose ? { toggle, extend, toggleLoaded } : undefined),
    [canChoose, toggle, extend, toggleLoaded],
  );
}
