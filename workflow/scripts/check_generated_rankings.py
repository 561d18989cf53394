"""Compare the rankings made from raw data with the published ones, and see what each ingredient is worth."""

from pathlib import Path

from labelknn.datasets._container import load
from labelknn.utils._files import write_table
from labelknn_papers.papers.generated import (
    AgreementRow,
    IngredientRow,
    agreement_rows,
    draw_agreement,
    draw_ingredients,
    ingredient_rows,
)
from labelknn_papers.run.job import job
from labelknn_papers.show.figures import save_figure

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
