// The small words of the text: headings, counts, lists of names.

/** Nothing at all where there is nothing to say. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** More names than this are only counted. */
const MOST_NAMES = 12;

export function nameList(names: readonly string[]): string {
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return names.slice(0, MOST_NAMES).join(' ') + rest;
}
