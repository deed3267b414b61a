/**
 * Checks that run inside a page. They are functions of their own, without anything from around them,
 * because the browser gets their text.
 */

// deno-lint-ignore-file no-explicit-any -- the document of a browser, which Deno has no types of

/** Texts whose contrast with what lies behind them is under 4.5:1, or 3:1 where large (WCAG 1.4.3). */
export function contrastFaults(): string[] {
  const { document, getComputedStyle } = globalThis as any;
  const parse = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r = 0, g = 0, b = 0]: number[]) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x! + 0.7152 * y! + 0.0722 * z!;
  };
  const behind = (element: any): number[] => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const faults: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node: any) => node.nodeType === 3)
      .map((node: any) => node.textContent.trim()).join("");
    if (text === "" || !element.checkVisibility() || element.closest(".unseen, .skip")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(parse(style.color)), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24;
    if (ratio < (isLarge ? 3 : 4.5)) faults.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return faults;
}

/** Controls that a screen reader could not name. */
export function namelessControls(): string[] {
  const { document } = globalThis as any;
  return [
    ...document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href]"),
  ]
    .filter((control: any) =>
      control.checkVisibility() && (control.labels?.length ?? 0) === 0 &&
      control.textContent.trim() === "" && control.getAttribute("aria-label") === null
    )
    .map((control: any) => control.outerHTML.slice(0, 80));
}
