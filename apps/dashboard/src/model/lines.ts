// Lines out of pieces of text, as a connection brings them.

/** Says each whole line; what is left waits for the next piece. */
export function lineReader(say: (line: string) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') say(line);
  };
}
