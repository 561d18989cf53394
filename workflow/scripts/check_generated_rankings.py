"""Compare the rankings made from raw data with the published ones, and see what each ingredient is worth."""

from pathlib import Path

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.files import write_table
from labelknn.reporting.figures import save_figure
from labelknn.reporting.generated import (
    AgreementRow,
    IngredientRow,
    agreement_rows,
    draw_agreement,
    draw_ingredients,
    ingredient_rows,
)

with job(snakemake.log[0]):
    data = {Path(path).stem: load(path) for path in snakemake.input.data}
    reached = {
        name: recipe
        for name, recipe in snakemake.params.recipes.items()
        if {name, f"{name}-raw", f"{name}-generated"} <= set(data)
    }
    rows = agreement_rows(data, reached)
    write_table(snakemake.output.agreement, AgreementRow._fields, rows)
    save_figure(draw_agreement(rows), snakemake.output.agreement_pictures)
    parts = ingredient_rows(data, reached)
    write_table(snakemake.output.ingredients, IngredientRow._fields, parts)
    save_figure(draw_ingredients(parts), snakemake.output.ingredient_pictures)
