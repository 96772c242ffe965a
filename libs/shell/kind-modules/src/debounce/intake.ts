import { unfitItem } from '@flatline/kinds/debounce';
import { COMMAND_HEADER, FLUSH, MAX_WAIT_HEADER, WAIT_HEADER } from '@flatline/ports/formats';
import { IDEMPOTENCY_HEADER, type KindIntake, type Sent, type Unwritten, withIdempotencyKey } from '../intake.ts';
import type { DebouncePipeline } from './settings.ts';

const OWN = [WAIT_HEADER, MAX_WAIT_HEADER, COMMAND_HEADER];
const text = new TextDecoder();

/** An item is the body, whatever its bytes. */
export const debounceIntake: KindIntake<DebouncePipeline> = {
  beats: false,
  open: ({ rules }) => {
    const { dedupeBy } = rules;
    // The sender's own key is the record's in any case.
    const isHeader = dedupeBy !== undefined && !dedupeBy.startsWith('/') && dedupeBy !== IDEMPOTENCY_HEADER;
    return {
      headers: isHeader ? [...OWN, dedupeBy] : OWN,
      recordOf: (sent) => {
        const record = firing(withIdempotencyKey(sent), sent);
        const unfit = unfitItem(record, rules);
        return unfit === undefined ? record : `${unfit.reason}: ${unfit.detail}`;
      },
    };
  },
};

/** Without a body the window fires as it is: one who fires it has no item of no bytes in mind. */
function firing(record: Unwritten, { value, headers }: Sent): Unwritten {
  const fires = headers.some(
    ({ name, value: of }) => name === COMMAND_HEADER && of !== null && text.decode(of) === FLUSH,
  );
  return fires && value?.length === 0 ? { ...record, value: null } : record;
}
